import Testing
import Platform
import TestSupport

/// Requests `/metrics` repeatedly over one connection, which is itself one of the counted sockets.
final class Metrics {
  private let client: HTTPClient

  init(of gateway: RunningGateway) throws {
    client = try HTTPClient(gateway)
  }

  /// Returns all values by name and labels, written as in the response but without the prefix `drawtogether_`.
  func values() throws -> [String: Int] {
    let answer = try client.ask("GET", "/metrics")
    try #require(answer.status == 200)
    var values: [String: Int] = [:]
    for line in answer.text.split(separator: "\n") where line.hasPrefix("drawtogether_") {
      let parts = line.dropFirst("drawtogether_".count).split(separator: " ")
      if parts.count == 2, let value = Int(parts[1]) { values[String(parts[0])] = value }
    }
    return values
  }

  func value(_ name: String) throws -> Int {
    try #require(try values()[name])
  }

  /// Requests the metrics until they fulfil a condition.
  /// - Throws: an error at the deadline; the last values are then recorded.
  func wait(for what: String, _ condition: ([String: Int]) -> Bool) throws {
    let deadline = TestTimeout.deadline
    while true {
      let values = try values()
      if condition(values) { return }
      guard .now() < deadline else {
        Issue.record("\(what): \(values.filter { $0.value != 0 })")
        throw ClientError.outOfPatience(waitingFor: what)
      }
      // No bytes arrive on this connection; the call only waits 5 ms before the next request.
      _ = try client.stream.isReadable(within: .milliseconds(5))
    }
  }

  /// Waits until the metrics count one open socket, that of this client, and no bytes of incomplete messages or requests.
  func waitForNoSockets() throws {
    try wait(for: "all sockets are closed") {
      $0["sockets{kind=\"http\"}"] == 1 && $0["sockets{kind=\"websocket\"}"] == 0
        && $0["sockets{kind=\"tls\"}"] == 0 && $0["incomplete_bytes"] == 0
    }
  }
}
