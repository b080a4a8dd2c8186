/// The time limits of a connection. Tests use shorter ones.
struct ConnectionTimeouts: Sendable {
  /// The time to connect, over all addresses.
  var connect = Duration.seconds(10)
  /// The time for one address if there are more addresses.
  var address = Duration.seconds(3)
  /// The time for the TLS handshake and the WebSocket upgrade.
  var handshake = Duration.seconds(10)
  /// The interval between keepalives while reading is paused. The gateway closes the connection after 40 s without one.
  var keepalive = Duration.seconds(15)
  /// The time for which a socket must work so that the next attempt is immediate again.
  var stableAfter = Duration.seconds(5)
  /// The time for the gateway to read the last bytes and to close.
  var linger = Duration.seconds(2)
}
