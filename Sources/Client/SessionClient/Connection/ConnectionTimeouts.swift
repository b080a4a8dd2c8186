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
  /// The minimum working time of a socket. A socket that works for a shorter time counts as short-lived. After two short-lived
  /// sockets in a row, the client waits before it reconnects.
  var stableAfter = Duration.seconds(5)
  /// The time limit for the gateway to read the last bytes and to close the connection.
  var linger = Duration.seconds(2)
}
