internal import Glibc
internal import Platform

/// The program: parses its arguments, runs the measurement, prints the report, and returns an exit code.
struct BenchCommand {
  /// The exit code of the process.
  enum ExitCode: Int32 {
    case success = 0
    /// The run failed.
    case failure = 1
    /// Invalid arguments.
    case usage = 2
  }

  let arguments: [String]
  /// Writes text to standard output.
  let output: (String) -> Void
  /// Writes text to standard error.
  let errors: (String) -> Void

  /// Creates the command from the arguments of this process.
  static func ofThisProcess() -> BenchCommand {
    BenchCommand(
      arguments: Array(CommandLine.arguments.dropFirst()),
      output: { write($0, to: STDOUT_FILENO) }, errors: { write($0, to: STDERR_FILENO) })
  }

  /// Runs the command and returns the exit code.
  func run() -> Int32 {
    do throws(BenchError) {
      switch try BenchArgumentParser.parse(arguments) {
      case .help: output(BenchHelp.text)
      case .run(let options): try perform(options)
      }
      return ExitCode.success.rawValue
    } catch {
      errors("drawtogether-bench: \(error)\n")
      return error.exitCode.rawValue
    }
  }

  private func perform(_ options: BenchOptions) throws(BenchError) {
    try Pinning.pin(options, arguments)
    OpenFiles.raiseLimit()
    guard let report = try measure(options) else { return }
    output(options.isJSON ? report.json : report.text)
    for warning in report.warnings { errors("drawtogether-bench: \(warning)\n") }
  }

  private func measure(_ options: BenchOptions) throws(BenchError) -> Report? {
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
