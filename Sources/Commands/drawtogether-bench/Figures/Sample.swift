/// The readings of the clocks at one moment, for a comparison with a later sample.
struct Sample: Sendable {
  let time = Clock.now()
  let own = Clock.ofThisProcess()
  /// The server's CPU time, if its process is known.
  let server: UInt64?

  init(_ process: Int32?) {
    server = process.flatMap(Clock.ofProcess)
  }
}

/// The differences between two samples.
struct Interval: Sendable {
  let seconds: Double
  /// The CPU seconds of this process.
  let own: Double
  /// The CPU seconds of the server, if its process is known.
  let server: Double?

  init(from start: Sample, to end: Sample) {
    seconds = Double(end.time - start.time) / 1e9
    own = Double(end.own - start.own) / 1e9
    server =
      if let before = start.server, let after = end.server, after >= before {
        Double(after - before) / 1e9
      } else {
        nil
      }
  }
}
