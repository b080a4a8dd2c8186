import Testing

/// The suites that run one after the other, because the process has one gateway setting.
@Suite("GroupActivities with a gateway", .serialized)
enum GatewaySuites {}
