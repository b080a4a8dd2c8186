/// Clocks and counters at one moment, to be compared with a later one.
struct Sample: Sendable {
  let time = Clock.now()
  let own = Clock.ofThisProcess()
  /// The server's CPU, when its process is known.
  let server: UInt64?

  init(_ process: Int32?) {
    server = process.flatMap(Clock.ofProcess)
  }
}

/// What passed between two moments.
struct Interval: Sendable {
  let seconds: Double
  /// Seconds of a core that this process used.
  let own: Double
  /// Seconds of a core that the server used, when its process is known.
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
