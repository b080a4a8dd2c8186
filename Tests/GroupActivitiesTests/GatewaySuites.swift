import Testing

/// The suites that run one after another, because the process has only one gateway setting.
@Suite("GroupActivities: tests that use a gateway and run one after another", .serialized)
enum GatewaySuites {}
