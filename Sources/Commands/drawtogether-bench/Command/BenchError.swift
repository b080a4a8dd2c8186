internal import Networking
internal import Platform

/// An error in the command line, or an error that ends a run. The description is one sentence for the user.
enum BenchError: Error, Equatable, CustomStringConvertible {
  case missingMode
  case unknownMode(String)
  case unknownFlag(String, mode: BenchMode)
  case flagOfOtherMode(String, mode: BenchMode)
  case unexpectedArgument(String)
  case missingValue(flag: String, expected: String)
  case invalidValue(flag: String, value: String, expected: String)
  case unexpectedValue(flag: String)
  case missingServer(BenchMode)
  case missingProcess(BenchMode)
  case excluding(String, String)
  case address(ServerURL, AddressError)
  case system(SystemError)
  case tls(String)
  case http(status: Int, target: String, detail: String = "")
  case notHTTP
  case timeout(target: String)
  case noAnswer(target: String)
  /// The socket was closed before it joined.
  case notJoined(socket: Int, closeCode: Int?, reason: String)
  /// The socket was closed during the run.
  case closed(socket: Int, closeCode: Int?, reason: String)
  case upgrade(String)
  case protocolViolation(String)
  case refused(String)
  case stalled(expected: Int, delivered: Int)
  case nothingDelivered(sent: Int, seconds: Double)
  case openedTooFew(opened: Int, of: Int)
  case process(Int32)
  case noTaskset

  private static let modes = BenchMode.public.map(\.rawValue).joined(separator: ", ")

  /// The exit code of the process: `usage` for an error in the command line.
  var exitCode: BenchCommand.ExitCode {
    switch self {
    case .missingMode, .unknownMode, .unknownFlag, .flagOfOtherMode, .unexpectedArgument, .missingValue,
      .invalidValue, .unexpectedValue, .missingServer, .missingProcess, .excluding:
      .usage
    case .address, .system, .tls, .http, .notHTTP, .timeout, .noAnswer, .notJoined, .closed, .upgrade,
      .protocolViolation, .refused, .stalled, .nothingDelivered, .openedTooFew, .process, .noTaskset:
      .failure
    }
  }

  var description: String {
    switch self {
    case .missingMode:
      "missing mode: expected \(Self.modes)."
    case .unknownMode(let word):
      "unknown mode \"\(word)\": expected \(Self.modes)."
    case .unknownFlag(let flag, let mode):
      "unknown flag \(flag): --help lists the flags of \(mode.rawValue)."
    case .flagOfOtherMode(let flag, let mode):
      "\(mode.rawValue) does not take \(flag): --help lists the modes of each flag."
    case .unexpectedArgument(let word):
      "unexpected argument \"\(word)\": after the mode, only flags are allowed."
    case .missingValue(let flag, let expected):
      "missing value for \(flag): expected \(expected)."
    case .invalidValue(let flag, let value, let expected):
      "invalid value \"\(value)\" for \(flag): expected \(expected)."
    case .unexpectedValue(let flag):
      "\(flag) takes no value."
    case .missingServer(let mode):
      "\(mode.rawValue) needs a server: set --server to a URL such as http://127.0.0.1:8080."
    case .missingProcess(let mode):
      "\(mode.rawValue) needs the server's process: set --pid to its number."
    case .excluding(let one, let other):
      "\(one) and \(other) cannot be used together."
    case .address(let server, let error): "\(server) \(error)."
    case .system(let error): "\(error)."
    case .tls(let words): "TLS failed: \(words)."
    case .http(let status, let target, let detail):
      "The server answered \(status) to \(target).\(detail.isEmpty ? "" : " Its explanation: " + detail)"
    case .notHTTP: "The server's answer is not HTTP."
    case .timeout(let target): "The server did not answer \(target) within 30 s."
    case .noAnswer(let target): "The server closed the connection without an answer to \(target)."
    case .notJoined(let socket, let code, let reason):
      "Socket \(socket) was closed before it joined\(Self.cause(code, reason))."
    case .closed(let socket, let code, let reason): "Socket \(socket) was closed\(Self.cause(code, reason))."
    case .upgrade(let words): "The server did not upgrade to WebSocket: \(words)."
    case .protocolViolation(let words): "Unexpected data from the server: \(words)."
    case .refused(let words):
      "The gateway refused an entry: \(words) Raise the gateway's limits for this load."
    case .stalled(let expected, let delivered):
      "No message arrived for at least 5 s. Before that, \(delivered) of \(expected) messages arrived."
    case .nothingDelivered(let sent, let seconds):
      "No message was delivered in the measured \(seconds) s, but \(sent) messages were sent."
    case .openedTooFew(let opened, let all): "Only \(opened) of \(all) sockets were open after 60 s."
    case .process(let number): "Process \(number) does not exist or cannot be inspected."
    case .noTaskset: "--cpu needs the program taskset, which is part of util-linux."
    }
  }

  private static func cause(_ code: Int?, _ reason: String) -> String {
    guard let code else { return " without a close frame" }
    return " with \(code)\(reason.isEmpty ? "" : " \(reason)")"
  }
}
