import Testing

/// What only real sockets and TLS can show of a participant's harness.
///
/// One after the other: each starts gateways of its own, and they would only take each other's time.
@Suite("Over links", .serialized)
enum ConnectionTests {}
