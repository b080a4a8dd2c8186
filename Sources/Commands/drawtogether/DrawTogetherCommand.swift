internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import Platform

/// The program: parses its arguments, runs the command, and returns an exit code.
struct DrawTogetherCommand {
  /// The exit code of the process.
  enum ExitCode: Int32 {
    case success = 0
    /// The command failed, or the gateway is unhealthy.
    case failure = 1
    /// Invalid arguments or settings.
    case usage = 2
  }

  let arguments: [String]
  let environment: [String: String]
  /// The number of usable cores.
  let cores: Int
  /// Writes text to standard output.
  let output: (String) -> Void
  /// Writes large data to standard output.
  let data: ([UInt8]) throws(SystemError) -> Void
  /// Writes text to standard error.
  let errors: (String) -> Void

  /// Creates the command from the arguments and the environment of this process; nil if the arguments cannot be read.
  static func ofThisProcess() -> DrawTogetherCommand? {
    guard let arguments = ProcessArguments.ofThisProcess() else { return nil }
    return DrawTogetherCommand(
      arguments: arguments,
      environment: ProcessInfo.processInfo.environment,
      cores: UsableCores.ofThisProcess(),
      output: { LineWriter.write(Array($0.utf8), to: STDOUT_FILENO, waitsForRoom: false) },
      data: { (bytes) throws(SystemError) in try StandardOutput.write(bytes, to: STDOUT_FILENO) },
      errors: { LineWriter.write(Array($0.utf8), to: STDERR_FILENO, waitsForRoom: false) })
  }

  /// Runs the command and returns the exit code. `serve` returns when the gateway has stopped.
  func run() -> Int32 {
    do throws(CommandError) {
      let invocation = try ArgumentParser.parse(
        arguments: arguments, environment: environment, cores: cores)
      return try perform(invocation).rawValue
    } catch {
      return report(error).rawValue
    }
  }

  /// Prints an error. Returns the exit code.
  func report(_ error: CommandError) -> ExitCode {
    errors("drawtogether: \(error)\n")
    return error.exitCode
  }

  private func perform(_ invocation: ArgumentParser.Invocation) throws(CommandError) -> ExitCode {
    switch invocation {
    case .help:
      output(CommandHelp.text)
    case .version:
      output("drawtogether \(Product.version)\n")
    case .checkConfiguration(let configuration, let origins):
      return check(configuration, origins)
    case .health(let configuration):
      try HealthProbe.check(configuration)
    case .data(let command):
      return try perform(command)
    case .serve(let configuration, let origins):
      return try serve(configuration, origins)
    }
    return .success
  }
}
