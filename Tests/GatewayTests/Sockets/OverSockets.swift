import Testing

/// What only real sockets and TLS can show of the promises P1–P8.
///
/// One after the other: each starts gateways of its own, and they would only take each other's time.
@Suite("Over sockets", .serialized)
enum OverSockets {}
