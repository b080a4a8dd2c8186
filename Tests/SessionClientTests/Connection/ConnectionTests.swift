import Testing

/// Tests that need real sockets and TLS.
///
/// They run one after another: each test starts its own gateways, so concurrent tests would only slow each other down.
@Suite("Client tests over real sockets", .serialized)
enum ConnectionTests {}
