/// The time limits of a connection. Tests use shorter ones.
struct ConnectionTimeouts: Sendable {
  /// The time to connect, over all addresses.
  var connect = Duration.seconds(10)
  /// The time for one address while there are others.
  var address = Duration.seconds(3)
  /// The time for the TLS handshake and the WebSocket upgrade.
  var handshake = Duration.seconds(10)
  /// The interval between keepalives while reading is paused. The gateway closes after 40 s without one.
  var keepalive = Duration.seconds(15)
  /// The time a socket must work for the next attempt to be immediate again.
  var stableAfter = Duration.seconds(5)
  /// The time for the gateway to read the last bytes and to close.
  var linger = Duration.seconds(2)
}
