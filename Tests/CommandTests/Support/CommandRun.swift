import Platform

@testable import drawtogether

/// The output and the exit code of a command.
struct CommandRun {
  let code: Int32
  let output: String
  let errors: String

  /// Collects the output of a command.
  private final class Terminal {
    var output = ""
    var errors = ""
  }

  /// Runs a command in this process.
  init(_ arguments: [String], _ environment: [String: String] = [:]) {
    let terminal = Terminal()
    let command = DrawTogetherCommand(
      arguments: arguments, environment: environment, cores: 2, output: { terminal.output += $0 },
      data: { (bytes) throws(SystemError) in terminal.output += String(decoding: bytes, as: UTF8.self) },
      errors: { terminal.errors += $0 })
    code = command.run()
    output = terminal.output
    errors = terminal.errors
  }

  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n").map { String($0) } }
}
