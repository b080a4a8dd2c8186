/// How long is waited at a connection. Tests, which have no time, wait less.
struct ConnectionTimeouts: Sendable {
  /// Within what time there must be a connection, all addresses tried.
  var connecting = Duration.seconds(10)
  /// How long one address is tried while there are others.
  var address = Duration.seconds(3)
  /// Within what time TLS and the WebSocket must be agreed on.
  var agreement = Duration.seconds(10)
  /// How often a gateway whose bytes are not read is shown that somebody is there: it closes after 40 s without.
  var keepalive = Duration.seconds(15)
  /// How long a socket works until the first attempt after it is at once again.
  var lasting = Duration.seconds(5)
  /// How long is waited for the gateway to take the last bytes and to close.
  var lingering = Duration.seconds(2)
}
