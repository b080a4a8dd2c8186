internal import Glibc
internal import Platform

/// The program: reads what it is asked to do, runs it, prints, and ends with an exit code.
struct BenchCommand {
  /// How the process ends.
  enum ExitCode: Int32 {
    case success = 0
    /// The run broke off.
    case failure = 1
    /// It was asked for what cannot be.
    case usage = 2
  }

  let arguments: [String]
  /// Takes what is meant for standard output.
  let output: (String) -> Void
  /// Takes what is meant for standard error.
  let errors: (String) -> Void

  /// The command as this process was called.
  static func ofThisProcess() -> BenchCommand {
    BenchCommand(
      arguments: Array(CommandLine.arguments.dropFirst()),
      output: { write($0, to: STDOUT_FILENO) }, errors: { write($0, to: STDERR_FILENO) })
  }

  /// Does what was asked, and returns the exit code.
  func run() -> Int32 {
    do throws(BenchUsageError) {
      switch try BenchOptionsReader.read(arguments) {
      case .help:
        output(BenchHelp.text)
        return ExitCode.success.rawValue
      case .run(let options):
        return perform(options).rawValue
      }
    } catch {
      errors("drawtogether-bench: \(error)\n")
      return ExitCode.usage.rawValue
    }
  }

  private func perform(_ options: BenchOptions) -> ExitCode {
    do throws(BenchFailure) {
      try Pinning.pin(options, arguments)
      OpenFiles.raiseLimit()
      if let report = try measure(options) {
        output(options.isJSON ? report.json : report.text)
        for warning in report.warnings { errors("drawtogether-bench: \(warning)\n") }
      }
      return .success
    } catch {
      errors("drawtogether-bench: \(error)\n")
      return .failure
    }
  }

  private func measure(_ options: BenchOptions) throws(BenchFailure) -> Report? {
    switch options.mode {
    case .fanOut, .rooms: try DrawingRun.measure(options)
    case .idle: try IdleRun.measure(options)
    case .joinStorm: try JoinStormRun.measure(options)
    case .slowReaders: try SlowReadersRun.measure(options)
    case .upload: try UploadRun.measure(options)
    case .floor: try FloorRun.measure(options)
    case .floorReader: try FloorReader.run(options)
    }
  }

  private static func write(_ text: String, to descriptor: CInt) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
