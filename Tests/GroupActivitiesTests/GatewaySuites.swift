import Testing

/// One after the other: which gateway a program uses is one for the whole process.
@Suite("GroupActivities over a gateway", .serialized)
enum GatewaySuites {}
