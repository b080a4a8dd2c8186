/// The mode `upload`: measures the latency of messages before and during file uploads over HTTP. The files are uploaded one after
/// another.
enum UploadRun {
  /// The maximum size of a file, which is below a gateway's default limit.
  private static let maximumSize = 64 << 20

  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    let members = Members(sessions: 1, senders: options.senders, listeners: options.members)
    let generator = try members.makeGenerator(options, maker: MessageMaker(options))
    try generator.open(0..<generator.links.count, inFlight: options.inFlight)
    let calm = try Measurement.run(generator, seconds: options.seconds, warmUp: options.warmUp)

    let attachments = generator.links[0].target.replacingLast("socket", by: "attachments")
    let bytes = options.megabytes << 20
    let beside = try Measurement.run(generator) { (generator) throws(BenchError) in
      var left = bytes
      while left > 0 {
        let size = min(left, maximumSize)
        let upload = try Upload(generator, target: attachments, size: size)
        generator.uploads.append(upload)
        guard try generator.run(atMost: 600, until: { _ in upload.status != nil }) else {
          throw .timeout(target: "POST \(attachments)")
        }
        guard upload.status == 201 else {
          throw .http(status: upload.status ?? 0, target: "POST of \(size) bytes")
        }
        left -= size
      }
    }

    var report = Report(options, generator)
    report.add("senders", "senders", members.senders)
    report.add("listeners", "listening members", members.listeners)
    report.add("pacing", "pacing", options.pacing.text)
    report.add("uploadedMiB", "uploaded", options.megabytes, .mebibytes)
    report.add("uploadSeconds", "upload time", beside.interval.seconds, .seconds)
    report.add(
      "uploadMiBPerSecond", "upload rate", Double(bytes) / 1_048_576 / beside.interval.seconds,
      .mebibytesPerSecond)
    report.add(latency: calm.counters.latency, "calmLatency", "latency of live messages before the upload")
    report.add(
      latency: beside.counters.latency, "uploadLatency", "latency of live messages during the upload")
    report.add("serverCPUSeconds", "server CPU", beside.interval.server, .seconds)
    report.add(
      "generatorCPUPercent", "generator CPU", beside.interval.own / beside.interval.seconds * 100, .percent)
    report.addOwnLimits(calm, isOpenLoop: generator.schedule != nil)
    return report
  }
}

extension String {
  /// Returns the path with another last component.
  fileprivate func replacingLast(_ word: String, by other: String) -> String {
    precondition(hasSuffix(word), "the request target must end with the path component to replace")
    return String(dropLast(word.count)) + other
  }
}
