import SessionCore
import Testing
import Wire

@testable import Gateway

@Suite("The metrics of a gateway")
struct MetricsTests {
  private let build = MetricsText.Build(
    version: "1.2.3", swiftVersion: "6.3", openSSLVersion: "OpenSSL \"3\"", startTime: 1_795_264_159)

  private func page(
    _ counters: Counters, _ status: GatewayStatus = GatewayStatus(),
    _ process: ProcessFigures = ProcessFigures()
  ) -> [Substring] {
    MetricsText.render(counters, status, process, build: build)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("The gateway's counters are the sums of the counters that each reactor published last")
  func board() {
    let board = MetricsBoard(reactors: 2)
    var first = Counters()
    first.entriesReceived = 1
    first.openWebSockets = -1
    first.closes[CloseCodeLabel(4013)] = 2
    board.publish(first, reactor: 0)
    first.entriesReceived = 3
    first.answers[StatusLabel(404)] += 1
    first.refusals[.rateLimited] += 5
    first.arrivals[.tail] += 1
    first.requests.count(.healthz, status: 200)
    first.uploadFailures[.storageFull] += 1
    first.fanOutTimes.count(.milliseconds(1))
    board.publish(first, reactor: 0)
    var second = Counters()
    second.entriesReceived = 4
    second.openWebSockets = 3
    second.closes[CloseCodeLabel(4013)] = 1
    second.arrivals[.tail] += 1
    second.requests.count(.healthz, status: 200)
    second.fanOutTimes.count(.milliseconds(2))
    board.publish(second, reactor: 1)
    let total = board.total
    #expect(total.entriesReceived == 7)
    #expect(total.openWebSockets == 2)
    #expect(total.closes[CloseCodeLabel(4013)] == 3)
    #expect(total.answers[StatusLabel(404)] == 1)
    #expect(total.refusals[.rateLimited] == 5)
    #expect(total.arrivals[.tail] == 2)
    #expect(total.arrivals[.new] == 0)
    #expect(total.requests.labelled.filter { $0.count > 0 }.map(\.count) == [2])
    #expect(total.uploadFailures[.storageFull] == 1)
    #expect(total.fanOutTimes.total == 2)
  }

  @Test("`/metrics` has the busy time of each loop, and the request times of each kind of request")
  func timesByLoopAndKind() {
    let board = MetricsBoard(reactors: 2)
    var first = Counters()
    first.turnTimes.count(.milliseconds(1500))
    first.requestTimes.count(.upload, .seconds(2))
    board.publish(first, reactor: 0)
    var second = Counters()
    second.turnTimes.count(.milliseconds(250))
    second.requestTimes.count(.upload, .milliseconds(1))
    second.requestTimes.count(.api, .microseconds(50))
    board.publish(second, reactor: 1)
    var status = GatewayStatus()
    status.loopBusySeconds = board.busySeconds
    status.certificateReloadFailures = 3
    let lines = Set(page(board.total, status))
    for line in [
      "drawtogether_loop_busy_seconds_total{reactor=\"0\"} 1.5",
      "drawtogether_loop_busy_seconds_total{reactor=\"1\"} 0.25",
      "drawtogether_tls_certificate_reload_failures_total 3",
      "drawtogether_request_seconds_bucket{kind=\"upload\",le=\"0.001\"} 1",
      "drawtogether_request_seconds_bucket{kind=\"upload\",le=\"+Inf\"} 2",
      "drawtogether_request_seconds_sum{kind=\"upload\"} 2.001",
      "drawtogether_request_seconds_count{kind=\"api\"} 1",
      "drawtogether_request_seconds_count{kind=\"download\"} 0",
      "drawtogether_request_seconds_count{kind=\"page\"} 0",
    ] { #expect(lines.contains(Substring(line)), "\(line)") }
  }

  @Test(
    "Close codes without a label of their own are counted under the label `other`",
    arguments: [
      (1000, "1000"), (4029, "4029"), (1014, "other"), (0, "other"), (65535, "other"),
    ] as [(UInt16, String)])
  func otherCodes(_ code: UInt16, _ label: String) {
    var counters = Counters()
    counters.closes[CloseCodeLabel(code)] += 1
    #expect(page(counters).contains("drawtogether_websocket_closes_total{code=\"\(label)\"} 1"))
  }

  @Test("Each gauge and counter without labels is shown under its own name, with its own value")
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
    "The metrics have the names that dashboards and alerts use",
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
      "drawtogether_ready 1", "drawtogether_draining 0", "drawtogether_uploaded_bytes_total 0",
      "drawtogether_upload_failures_total{code=\"storage-full\"} 0",
      "drawtogether_http_requests_total{route=\"file\",status=\"2xx\"} 0",
      "drawtogether_fan_out_seconds_bucket{le=\"0.0001\"} 0",
      "drawtogether_fan_out_seconds_bucket{le=\"+Inf\"} 0",
      "drawtogether_catch_up_seconds_count 0", "drawtogether_append_seconds_sum 0.0",
      "drawtogether_commit_seconds_count 0", "drawtogether_tls_handshake_seconds_count 0",
      "drawtogether_loop_turn_seconds_count 0",
    ])
  func names(_ line: String) {
    #expect(page(Counters()).contains { $0 == line })
  }

  @Test("A metric whose value is not known is omitted from /metrics")
  func status() {
    var status = GatewayStatus()
    status.isReady = false
    status.refusesNewData = true
    status.isDiskFailing = true
    status.freeBytes = 5_000_000_000
    status.reserveBytes = 268_435_456
    status.unsavedBytes = 12
    status.memoryBytes = 2_147_483_648
    status.connectionsLimit = 10_000
    status.sessionsLimit = 500
    status.stored = StoredTotals()
    status.stored?.sessions = 3
    status.stored?.attachmentBytes = 7
    status.certificateEnds = 1_800_000_000
    var process = ProcessFigures()
    process.cpuSeconds = 1.5
    process.openDescriptors = 40
    let lines = page(Counters(), status, process)
    for line in [
      "drawtogether_ready 0", "drawtogether_storage_refusing 1", "drawtogether_disk_failing 1",
      "drawtogether_disk_free_bytes 5000000000",
      "drawtogether_disk_reserve_bytes 268435456", "drawtogether_unsaved_bytes 12",
      "drawtogether_log_limit_bytes 2147483648",
      "drawtogether_connections_limit 10000", "drawtogether_sessions_limit 500",
      "drawtogether_kept_sessions 3",
      "drawtogether_kept_log_bytes 0", "drawtogether_kept_attachment_bytes 7",
      "drawtogether_tls_certificate_not_after_seconds 1800000000", "process_cpu_seconds_total 1.5",
      "process_open_fds 40",
    ] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
    let unknown = page(Counters())
    for name in ["disk_free_bytes", "kept_sessions", "tls_certificate", "process_cpu", "process_max_fds"] {
      #expect(!unknown.contains { $0.contains(name) }, "\(name)")
    }
  }

  @Test("The buckets of a histogram are cumulative, and the last bucket counts all durations")
  func histogram() {
    var counters = Counters()
    for milliseconds in [0, 1, 2, 40, 60_000] { counters.commitTimes.count(.milliseconds(milliseconds)) }
    let lines = page(counters)
    for (limit, count) in [("0.0001", 1), ("0.001", 2), ("0.0025", 3), ("0.025", 3), ("0.05", 4), ("30", 4)] {
      #expect(
        lines.contains { $0 == "drawtogether_commit_seconds_bucket{le=\"\(limit)\"} \(count)" }, "\(limit)")
    }
    #expect(lines.contains { $0 == "drawtogether_commit_seconds_bucket{le=\"+Inf\"} 5" })
    #expect(lines.contains { $0 == "drawtogether_commit_seconds_sum 60.043" })
    #expect(lines.contains { $0 == "drawtogether_commit_seconds_count 5" })
  }

  @Test("The figures of the process (CPU time, memory, descriptors, threads) can be read")
  func process() throws {
    let figures = ProcessFigures.now()
    #expect(try #require(figures.cpuSeconds) > 0)
    #expect(try #require(figures.residentBytes) > 1_000_000)
    #expect(try #require(figures.virtualBytes) >= #require(figures.residentBytes))
    #expect(try #require(figures.openDescriptors) >= 3)
    #expect(try #require(figures.threads) >= 1)
  }

  @Test(
    "Exposition format: each metric has its help, its type and its samples; the names of counters end in `_total`"
  )
  func format() throws {
    let lines = page(Counters())
    #expect(lines.last == "")
    var named: Set<Substring> = []
    var name: Substring = ""
    var type: Substring = ""
    for line in lines.dropLast() {
      if line.hasPrefix("# HELP ") {
        let parts = line.split(separator: " ", maxSplits: 3)
        name = parts[2]
        #expect(named.insert(name).inserted, "\(name) is shown twice")
        #expect(parts.count == 4 && parts[3].hasSuffix("."))
        type = ""
      } else if line.hasPrefix("# TYPE ") {
        let parts = line.split(separator: " ")
        #expect(parts[2] == name)
        type = parts[3]
        let isTime = (MetricList.times.map(\.name) + ["request_seconds"]).contains {
          "drawtogether_\($0)" == name
        }
        #expect(type == (isTime ? "histogram" : name.hasSuffix("_total") ? "counter" : "gauge"))
      } else {
        #expect(!type.isEmpty && line.hasPrefix(name))
        var rest = line.dropFirst(name.count)
        if type == "histogram" {
          let suffix = try #require(["_bucket", "_sum", "_count"].first { rest.hasPrefix($0) })
          rest = rest.dropFirst(suffix.count)
        }
        #expect([" ", "{"].contains(rest.first))
      }
    }
  }

  @Test("Each metric with labels reserves enough counters for all values of its label")
  func room() {
    #expect(CloseCodeLabel.labels.count <= CounterVector<CloseCodeLabel>.capacity)
    #expect(StatusLabel.labels.count <= CounterVector<StatusLabel>.capacity)
    #expect(JoinKind.labels == ["new", "tail", "snapshot"])
    #expect(ErrorCode.labels.count <= CounterVector<ErrorCode>.capacity)
  }
}
