/// The time limits of a connection. Tests use shorter limits.
struct ConnectionTimeouts: Sendable {
  /// The time limit for connecting, for all addresses together.
  var connect = Duration.seconds(10)
  /// The time limit for connecting to one address while other addresses are left to try.
  var address = Duration.seconds(3)
  /// The time limit for the TLS handshake and the WebSocket upgrade together.
  var handshake = Duration.seconds(10)
  /// The interval between keepalives while reading is paused. The gateway closes a connection from which it has received nothing
  /// for 40 s.
  var keepalive = Duration.seconds(15)
  /// The minimum time for which a socket must have worked, so that the client reconnects without a delay after the socket closes.
  var stableAfter = Duration.seconds(5)
  /// The time limit for the gateway to read the last bytes and to close the connection.
  var linger = Duration.seconds(2)
}
