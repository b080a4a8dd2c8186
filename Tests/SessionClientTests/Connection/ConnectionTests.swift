import Testing

/// Tests that need real sockets and TLS.
///
/// They run one after another: each test starts its own gateways, so concurrent tests would only slow each other down.
@Suite("Connections", .serialized)
enum ConnectionTests {}
