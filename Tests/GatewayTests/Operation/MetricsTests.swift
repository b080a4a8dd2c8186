import Testing
import Wire

@testable import Gateway

/// What `/metrics` says, and that it adds up.
@Suite("Metrics")
struct MetricsTests {
  private let build = MetricsText.Build(
    version: "1.2.3", swiftVersion: "6.3", openSSLVersion: "OpenSSL \"3\"", startTime: 1_795_264_159,
    memoryBytes: 2_147_483_648)

  private func page(_ counters: Counters) -> [Substring] {
    MetricsText.render(counters, build: build).split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("The reactors' last published counters are summed")
  func board() {
    let board = MetricsBoard(reactors: 2)
    var first = Counters()
    first.entriesReceived = 1
    first.openWebSockets = -1
    first.closes[ClosedWith(4013)] = 2
    board.publish(first, reactor: 0)
    first.entriesReceived = 3
    first.answers[AnsweredWith(404)] += 1
    first.refusals[.rateLimited] += 5
    first.arrivals[.tail] += 1
    board.publish(first, reactor: 0)
    var second = Counters()
    second.entriesReceived = 4
    second.openWebSockets = 3
    second.closes[ClosedWith(4013)] = 1
    second.arrivals[.tail] += 1
    board.publish(second, reactor: 1)
    let total = board.total
    #expect(total.entriesReceived == 7)
    #expect(total.openWebSockets == 2)
    #expect(total.closes[ClosedWith(4013)] == 3)
    #expect(total.answers[AnsweredWith(404)] == 1)
    #expect(total.refusals[.rateLimited] == 5)
    #expect(total.arrivals[.tail] == 2)
    #expect(total.arrivals[.new] == 0)
  }

  @Test(
    "Numbers that are not listed are counted together",
    arguments: [
      (1000, "1000"), (4029, "4029"), (1014, "other"), (0, "other"), (65535, "other"),
    ] as [(UInt16, String)])
  func otherCodes(_ code: UInt16, _ label: String) {
    var counters = Counters()
    counters.closes[ClosedWith(code)] += 1
    #expect(page(counters).contains("drawtogether_websocket_closes_total{code=\"\(label)\"} 1"))
  }

  @Test("Every metric of one value is shown under its own name")
  func values() {
    var counters = Counters()
    for (number, gauge) in MetricList.gauges.enumerated() {
      counters[keyPath: gauge.value] = Int64(number) + 1000
    }
    for (number, count) in MetricList.counts.enumerated() {
      counters[keyPath: count.value] = UInt64(number) + 2000
    }
    let lines = page(counters)
    for (number, gauge) in MetricList.gauges.enumerated() {
      #expect(lines.contains("drawtogether_\(gauge.name) \(number + 1000)"))
    }
    for (number, count) in MetricList.counts.enumerated() {
      #expect(lines.contains("drawtogether_\(count.name) \(number + 2000)"))
    }
  }

  @Test(
    "The names that others rely on",
    arguments: [
      "drawtogether_send_calls_total 0", "drawtogether_entries_delivered_total 0",
      "drawtogether_entries_received_total 0", "drawtogether_sessions 0", "drawtogether_participants 0",
      "drawtogether_repeats_total 0", "drawtogether_received_bytes_total 0",
      "drawtogether_sent_bytes_total 0",
      "drawtogether_sockets{kind=\"http\"} 0", "drawtogether_sockets{kind=\"websocket\"} 0",
      "drawtogether_sockets{kind=\"tls\"} 0", "drawtogether_arrivals_total{kind=\"tail\"} 0",
      "drawtogether_arrivals_total{kind=\"snapshot\"} 0", "drawtogether_arrivals_total{kind=\"new\"} 0",
      "drawtogether_refused_total{code=\"rate-limited\"} 0",
      "drawtogether_refused_total{code=\"origin-refused\"} 0",
      "drawtogether_http_responses_total{status=\"200\"} 0",
      "drawtogether_websocket_closes_total{code=\"1012\"} 0",
      "drawtogether_build_info{version=\"1.2.3\",swift=\"6.3\",openssl=\"OpenSSL \\\"3\\\"\"} 1",
      "process_start_time_seconds 1795264159", "drawtogether_log_bytes 0",
      "drawtogether_log_limit_bytes 2147483648",
    ])
  func names(_ line: String) {
    #expect(page(Counters()).contains { $0 == line })
  }

  @Test("Exposition format: help, then type, then samples of that name; counters end in _total")
  func format() {
    let lines = page(Counters())
    #expect(lines.last == "")
    var named: Set<Substring> = []
    var name: Substring = ""
    var type: Substring = ""
    for line in lines.dropLast() {
      if line.hasPrefix("# HELP ") {
        let parts = line.split(separator: " ", maxSplits: 3)
        name = parts[2]
        #expect(named.insert(name).inserted, "\(name) comes twice")
        #expect(parts.count == 4 && parts[3].hasSuffix("."))
        type = ""
      } else if line.hasPrefix("# TYPE ") {
        let parts = line.split(separator: " ")
        #expect(parts[2] == name)
        type = parts[3]
        #expect(type == (name.hasSuffix("_total") ? "counter" : "gauge"))
      } else {
        #expect(!type.isEmpty)
        #expect(line.hasPrefix(name) && [" ", "{"].contains(line.dropFirst(name.count).first))
      }
    }
  }

  @Test("There is room for every key of a tally")
  func room() {
    #expect(ClosedWith.labels.count <= Tally<ClosedWith>.capacity)
    #expect(AnsweredWith.labels.count <= Tally<AnsweredWith>.capacity)
    #expect(Arrival.labels.count <= Tally<Arrival>.capacity)
    #expect(ErrorCode.labels.count <= Tally<ErrorCode>.capacity)
  }
}
