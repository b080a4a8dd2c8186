/// `upload`: files that go up by HTTP beside drawing, one after the other.
enum UploadRun {
  /// The most bytes of a file: what a gateway takes by default.
  private static let largest = 64 << 20

  /// Does it, and says what came of it.
  static func measure(_ options: BenchOptions) throws(BenchFailure) -> Report {
    let crowd = Crowd(sessions: 1, senders: options.senders, listeners: options.members)
    let generator = try crowd.makeGenerator(options, maker: MessageMaker(options))
    try generator.open(0..<generator.links.count, inFlight: options.inFlight)
    let calm = try Measurement.run(generator, seconds: options.seconds, warmUp: options.warmUp)

    let attachments = generator.links[0].target.replacingLast("socket", by: "attachments")
    let bytes = options.megabytes << 20
    let beside = try Measurement.run(generator) { (generator) throws(BenchFailure) in
      var left = bytes
      while left > 0 {
        let size = min(left, largest)
        let upload = try Upload(generator, target: attachments, size: size)
        generator.uploads.append(upload)
        guard try generator.run(atMost: 600, until: { _ in upload.status != nil }) else {
          throw .late(target: "POST \(attachments)")
        }
        guard upload.status == 201 else {
          throw .http(status: upload.status ?? 0, target: "POST of \(size) bytes")
        }
        left -= size
      }
    }

    var report = Report(options, generator)
    report.add("senders", "senders", crowd.senders)
    report.add("listeners", "members that only listen", crowd.listeners)
    report.add("pacing", "pacing", options.pacing.words)
    report.add("uploadedMiB", "uploaded", options.megabytes, .mebibytes)
    report.add("uploadSeconds", "in", beside.interval.seconds, .seconds)
    report.add(
      "uploadMiBPerSecond", "that is", Double(bytes) / 1_048_576 / beside.interval.seconds,
      .mebibytesPerSecond)
    report.add(latency: calm.tally.latency, "calmLatency", "live latency before")
    report.add(latency: beside.tally.latency, "uploadLatency", "live latency beside")
    report.add("serverCPUSeconds", "server CPU", beside.interval.server, .seconds)
    report.add(
      "generatorCPUPercent", "generator CPU", beside.interval.own / beside.interval.seconds * 100, .percent)
    report.addOwnLimits(calm, isOpenLoop: generator.schedule != nil)
    return report
  }
}

extension String {
  /// The text with its last component, which is known, in another word.
  fileprivate func replacingLast(_ word: String, by other: String) -> String {
    precondition(hasSuffix(word), "the target ends so")
    return String(dropLast(word.count)) + other
  }
}
