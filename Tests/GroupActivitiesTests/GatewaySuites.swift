import Testing

/// The suites that run one after another, because the process has only one gateway setting.
@Suite("GroupActivities with a gateway", .serialized)
enum GatewaySuites {}
