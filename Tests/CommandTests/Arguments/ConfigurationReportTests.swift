import Gateway
import Testing

@testable import drawtogether

/// The output of `--check-config`.
@Suite("The report of all settings and their origins")
struct ConfigurationReportTests {
  private struct UnexpectedInvocation: Error {}

  private func report(
    _ arguments: [String] = [], _ environment: [String: String] = [:],
    change: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> [[String]] {
    let invocation = try ArgumentParser.parse(
      arguments: arguments + ["--check-config"], environment: environment, cores: 4)
    guard case .checkConfiguration(var configuration, let origins) = invocation else {
      throw UnexpectedInvocation()
    }
    change(&configuration)
    return ConfigurationReport.text(configuration, origins).split(separator: "\n").map {
      $0.split(separator: " ").map { String($0) }
    }
  }

  @Test("The report has a line for each setting, with its flag, its value and the origin of the value")
  func rows() throws {
    let rows = try report(
      [
        "--metrics-token", "s3cret", "--https", "off", "--max-message-bytes", "1000", "--grace-seconds=90",
        "--session-keep-seconds", "720h", "--flush-interval", "1000",
      ],
      [
        "DRAWTOGETHER_PUBLIC_URL": "http://Draw.example:8080/", "DRAWTOGETHER_HTTPS": "127.0.0.1:1",
        "DRAWTOGETHER_ECHO": "yes", "DRAWTOGETHER_DATA": "",
      ])
    for row in [
      ["--metrics-token", "set", "flag"], ["--https", "off", "flag"], ["--http", "0.0.0.0:8080", "default"],
      ["--max-message-bytes", "1000", "flag"], ["--max-session-log-bytes", "256M", "default"],
      ["--public-url", "http://draw.example:8080", "DRAWTOGETHER_PUBLIC_URL"],
      ["--echo", "on", "DRAWTOGETHER_ECHO"], ["--data", "data", "default"],
      ["--grace-seconds", "1m30s", "flag"],
      ["--session-keep-seconds", "30d", "flag"], ["--idle-seconds", "1m", "default"],
      ["--allowed-origins", "-", "default"], ["--tls-cert", "-", "default"], ["--reactors", "4", "cores"],
      ["--flush-interval", "1s", "flag"], ["--log-format", "auto", "default"],
    ] {
      #expect(rows.contains(row))
    }
    #expect(rows.map { $0[0] } == Setting.all.map(\.flag))
  }

  @Test(
    "The report shows the page folder that was found beside the program, and quotes a path that contains a space"
  )
  func found() throws {
    let rows = try report(["--data", "my data"]) { $0.publicDirectory = "/usr/share/drawtogether/Public" }
    #expect(rows.contains(["--public", "/usr/share/drawtogether/Public", "found"]))
    #expect(rows.contains(["--data", "\"my", "data\"", "flag"]))
  }

  @Test("If the values that the report prints are passed as flags, they result in the same configuration")
  func again() throws {
    let given = [
      "--http=[::1]:80", "--https=off", "--public-url=http://draw.example",
      "--allowed-origins=https://a.example,http://b.example:81",
      "--flush-interval=7ms", "--max-attachment-bytes=1234567", "--upload-keep-seconds=100000",
      "--durability=full",
    ]
    let rows = try report(given)
    let again = rows.filter { $0[1] != "-" }.flatMap { ["\($0[0])=\($0[1])"] }
    let first = try ArgumentParser.parse(arguments: given, environment: [:], cores: 4)
    let second = try ArgumentParser.parse(arguments: again, environment: [:], cores: 9)
    guard case .serve(let asked, _) = first, case .serve(let shown, _) = second else {
      throw UnexpectedInvocation()
    }
    #expect(shown == asked)
  }
}
