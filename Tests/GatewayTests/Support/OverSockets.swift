import Testing

/// The tests of the promises P1–P8 that need real sockets and TLS.
///
/// These tests run one after the other, because each test starts gateways and would slow down the other tests.
@Suite("Gateway tests over real sockets", .serialized)
enum OverSockets {}
