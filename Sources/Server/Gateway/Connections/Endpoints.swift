internal import Networking

/// The addresses on which the gateway listens.
struct Endpoints: Sendable {
  var http: SocketAddress?
  var https: SocketAddress?
}
