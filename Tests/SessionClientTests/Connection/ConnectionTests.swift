import Testing

/// Tests that need real sockets and TLS.
///
/// They run one after the other: each starts gateways of its own, and would only slow down the others.
@Suite("Connections", .serialized)
enum ConnectionTests {}
