internal import CommandSupport
internal import HTTP

/// Counters of a gateway: `send` calls, delivered entries, connections, and the busy time of each reactor.
struct GatewayMetrics: Equatable, Sendable {
  let sendCalls: Double
  let entriesDelivered: Double
  /// The number of connections since the gateway's start, including the connection of this request.
  let connectionsAccepted: Double
  /// The busy seconds of each reactor's event loop.
  let busySeconds: [Double]

  /// Requests the metrics; nil if the gateway does not show them to this client.
  static func ask(_ client: ServerRequests) throws(BenchError) -> GatewayMetrics? {
    let response = try client.send(.get, "/metrics")
    guard response.status == .ok else { return nil }
    return GatewayMetrics(String(decoding: response.body, as: UTF8.self))
  }

  /// Parses the Prometheus text; nil if one of the counters is missing.
  init?(_ text: String) {
    guard let sendCalls = Self.value("drawtogether_send_calls_total", in: text),
      let entriesDelivered = Self.value("drawtogether_entries_delivered_total", in: text),
      let connectionsAccepted = Self.value("drawtogether_connections_accepted_total", in: text)
    else { return nil }
    self.sendCalls = sendCalls
    self.entriesDelivered = entriesDelivered
    self.connectionsAccepted = connectionsAccepted
    busySeconds = text.split(separator: "\n").filter { $0.hasPrefix("drawtogether_loop_busy_seconds_total{") }
      .compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
  }

  private static func value(_ name: String, in text: String) -> Double? {
    for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
      return Double(line.dropFirst(name.count + 1))
    }
    return nil
  }
}
