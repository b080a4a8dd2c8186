internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import Platform

/// The program: reads what it is asked to do, prints, serves, and ends with an exit code.
struct DrawTogetherCommand {
  /// How the process ends.
  enum ExitCode: Int32 {
    case success = 0
    /// It could not do what it was asked, or is not well.
    case failure = 1
    /// It was asked for what cannot be.
    case usage = 2
  }

  let arguments: [String]
  let environment: [String: String]
  /// How many cores the machine, or the container, has for us.
  let cores: Int
  /// Takes what is meant for standard output.
  let output: (String) -> Void
  /// Takes what is meant for standard output and may be much.
  let data: ([UInt8]) throws(SystemError) -> Void
  /// Takes what is meant for standard error.
  let errors: (String) -> Void

  /// The command as this process was called; `nil` if its arguments cannot be read.
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

  /// Does what was asked, and returns the exit code. Serving returns only when the gateway has stopped.
  func run() -> Int32 {
    do throws(ConfigurationError) {
      let invocation = try ConfigurationReader.read(
        arguments: arguments, environment: environment, cores: cores)
      return perform(invocation).rawValue
    } catch {
      errors("drawtogether: \(error)\n")
      return ExitCode.usage.rawValue
    }
  }

  private func perform(_ invocation: ConfigurationReader.Invocation) -> ExitCode {
    switch invocation {
    case .help:
      output(CommandHelp.text)
    case .version:
      output("drawtogether \(Product.version)\n")
    case .checkConfiguration(let configuration, let origins):
      return check(configuration, origins)
    case .health(let configuration):
      return askForHealth(configuration)
    case .data(let command):
      return perform(command)
    case .serve(let configuration, let origins):
      return serve(configuration, origins)
    }
    return .success
  }

  private func askForHealth(_ configuration: GatewayConfiguration) -> ExitCode {
    do throws(HealthProbe.Fault) {
      try HealthProbe.check(configuration)
      return .success
    } catch {
      errors("drawtogether: \(error)\n")
      return .failure
    }
  }
}
