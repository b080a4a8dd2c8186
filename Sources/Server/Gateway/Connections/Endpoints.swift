internal import Networking

/// The addresses of the gateway.
struct Endpoints: Sendable {
  var http: SocketAddress?
  var https: SocketAddress?
}
