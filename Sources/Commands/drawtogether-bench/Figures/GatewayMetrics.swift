internal import HTTP

/// What a gateway counts itself: its calls of `send`, the entries in them, and who came.
struct GatewayMetrics: Equatable, Sendable {
  let sendCalls: Double
  let entriesDelivered: Double
  /// Connections since it was started, the one that asks included.
  let connectionsAccepted: Double

  /// Asks a gateway; nil when it shows its metrics to others only.
  static func ask(_ client: HTTPClient) throws(BenchFailure) -> GatewayMetrics? {
    let reply = try client.ask(.get, "/metrics")
    guard reply.status == 200 else { return nil }
    return GatewayMetrics(String(decoding: reply.body, as: UTF8.self))
  }

  /// Reads the Prometheus text; nil when the three are not in it.
  init?(_ text: String) {
    guard let sendCalls = Self.value("drawtogether_send_calls_total", in: text),
      let entriesDelivered = Self.value("drawtogether_entries_delivered_total", in: text),
      let connectionsAccepted = Self.value("drawtogether_connections_accepted_total", in: text)
    else { return nil }
    self.sendCalls = sendCalls
    self.entriesDelivered = entriesDelivered
    self.connectionsAccepted = connectionsAccepted
  }

  private static func value(_ name: String, in text: String) -> Double? {
    for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
      return Double(line.dropFirst(name.count + 1))
    }
    return nil
  }
}
