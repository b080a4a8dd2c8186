import Glibc
import Testing

@testable import drawtogether_bench

@Suite("Measured figures, such as CPU time and memory, are read from the system and reported")
struct FigureTests {
  @Test("The bytes in TCP queues are summed separately for the server's port and for all other ports")
  func queues() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
         1: 0100007F:1F90 0100007F:C001 01 00000100:00000002 00:00000000 00000000     0        0 2 1 0 20 4 30 10 -1
         2: 0100007F:C001 0100007F:1F90 01 00000000:0000000A 00:00000000 00000000     0        0 3 1 0 20 4 30 10 -1

      """
    let waiting = WaitingBytes(table, serverPort: 8_080)
    #expect(waiting.atServer == 258)
    #expect(waiting.atOthers == 10)
  }

  @Test("A line of a /proc file is found only by its complete name")
  func numbers() {
    let text = "VmHWM:\t  2000 kB\nVmRSS:\t  1234 kB\nPrivate_Dirty:       56 kB\n"
    #expect(ProcFile.number("VmRSS:", in: text) == 1_234)
    #expect(ProcFile.number("Private_Dirty:", in: text) == 56)
    #expect(ProcFile.number("VmSwap:", in: text) == nil)
  }

  @Test(
    "CPU time and memory of a process are measured; for a process that does not exist, the CPU time is nil")
  func processes() throws {
    #expect(Clock.ofProcess(getpid()) ?? 0 > 0)
    #expect(try Memory.of(getpid()).privateDirty > 0)
    #expect(Clock.ofProcess(4_194_305) == nil)
  }

  @Test("Counters are parsed from the gateway's metrics")
  func metrics() {
    let text = """
      # TYPE drawtogether_send_calls_total counter
      drawtogether_send_calls_total 12
      drawtogether_entries_delivered_total 120
      drawtogether_connections_accepted_total 3
      drawtogether_loop_busy_seconds_total{reactor="0"} 1.5
      drawtogether_loop_busy_seconds_total{reactor="1"} 0.25
      """
    #expect(GatewayMetrics(text)?.sendCalls == 12)
    #expect(GatewayMetrics(text)?.entriesDelivered == 120)
    #expect(GatewayMetrics(text)?.connectionsAccepted == 3)
    #expect(GatewayMetrics(text)?.busySeconds == [1.5, 0.25])
    #expect(GatewayMetrics("drawtogether_send_calls_total 12") == nil)
  }

  @Test(
    "`isNamed(in:)` is true only if the name of a figure, such as `bytesPerJoin`, contains the figure's unit",
    arguments: [
      ("latencyP50Microseconds", .microseconds, true), ("latencyP50", .microseconds, false),
      ("bytesPerJoin", .bytes, true), ("memoryPerSocket", .bytes, false), ("uploadedMiB", .mebibytes, true),
      ("serverCPUPercent", .percent, true), ("serverCPU", .percent, false), ("seconds", .seconds, true),
      ("serverCPUMicroseconds", .seconds, false), ("sentPerSecond", .perSecond, true),
    ] as [(String, Report.Unit, Bool)])
  func units(_ name: String, _ unit: Report.Unit, _ isNamed: Bool) {
    #expect(unit.isNamed(in: name) == isNamed)
  }

  @Test(
    "A report contains the number of connections that the server had before the run, and a warning if there were many"
  )
  func usedBefore() {
    var fresh = Report()
    fresh.add(connectionsBefore: 0, sockets: 100)
    #expect(fresh.warnings.isEmpty && fresh.text.contains("  0\n"))
    var asked = Report()
    asked.add(connectionsBefore: 10, sockets: 100)
    #expect(asked.warnings.isEmpty)
    var used = Report()
    used.add(connectionsBefore: 11, sockets: 100)
    #expect(used.json.contains(#""connectionsBefore":11"#))
    #expect(used.warnings.count == 1 && used.warnings[0].contains("11 connections"))
    var unknown = Report()
    unknown.add(connectionsBefore: nil, sockets: 100)
    #expect(unknown.text.isEmpty && unknown.warnings.isEmpty)
  }

  @Test("A report is text for people, or one JSON object for programs")
  func reports() {
    var report = Report()
    report.add("mode", "what", "a \"b\"")
    report.add("sent", "sent", 3)
    report.add("shareSeconds", "a share", 0.123456, .seconds)
    report.add("missing", "missing", nil as Double?)
    report.add("starved", "starved", true)
    report.warn("Late.")
    #expect(report.text == "what     a \"b\"\nsent     3\na share  0.123 s\nstarved  yes\n")
    #expect(
      report.json
        == "{\"mode\":\"a \\\"b\\\"\",\"sent\":3,\"shareSeconds\":0.1235,\"starved\":true,\"warnings\":[\"Late.\"]}\n"
    )
  }
}
