import Testing

/// The parts of the promises P1–P8 that need real sockets and TLS.
///
/// These tests run one after the other, because each starts gateways and would slow down the others.
@Suite("Over sockets", .serialized)
enum OverSockets {}
