import Testing

/// The parts of the promises P1–P8 that need real sockets and TLS.
///
/// One after the other: each starts gateways of its own, and they would only take each other's time.
@Suite("Over sockets", .serialized)
enum OverSockets {}
