import Testing

/// The parts of the promises P1–P8 that need real sockets and TLS.
///
/// They run one after the other: each starts gateways of its own, and would slow down the others.
@Suite("Over sockets", .serialized)
enum OverSockets {}
