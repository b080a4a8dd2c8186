internal import Networking
internal import Platform

/// An error that ends a run. The description is one sentence for the user.
enum BenchError: Error, CustomStringConvertible {
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
  case protocolFault(String)
  case refused(String)
  case stalled(expected: Int, delivered: Int)
  case nothingDelivered(sent: Int, seconds: Double)
  case openedTooFew(opened: Int, of: Int)
  case process(Int32)
  case noTaskset

  var description: String {
    switch self {
    case .address(let server, let error): "\(server) \(error)."
    case .system(let error): "\(error)."
    case .tls(let words): "TLS failed: \(words)."
    case .http(let status, let target, let detail):
      "The server answered \(status) to \(target).\(detail.isEmpty ? "" : " Its explanation: " + detail)"
    case .notHTTP: "The answer is not HTTP."
    case .timeout(let target): "No answer to \(target) within 30 s."
    case .noAnswer(let target): "The server closed the connection without an answer to \(target)."
    case .notJoined(let socket, let code, let reason):
      "Socket \(socket) was closed before it joined\(Self.cause(code, reason))."
    case .closed(let socket, let code, let reason): "Socket \(socket) was closed\(Self.cause(code, reason))."
    case .upgrade(let words): "The server did not upgrade to WebSocket: \(words)."
    case .protocolFault(let words): "Unexpected data from the server: \(words)."
    case .refused(let words): "The gateway refused an entry: \(words) Raise its limits for this load."
    case .stalled(let expected, let delivered):
      "No message arrived for at least 5 s: \(delivered) of \(expected) messages arrived before."
    case .nothingDelivered(let sent, let seconds):
      "No message was delivered in the measured \(seconds) s, but \(sent) were sent."
    case .openedTooFew(let opened, let all): "Only \(opened) of \(all) sockets were open after 60 s."
    case .process(let number): "Process \(number) does not exist or may not be inspected."
    case .noTaskset: "--cpu needs taskset from util-linux."
    }
  }

  private static func cause(_ code: Int?, _ reason: String) -> String {
    guard let code else { return " without a close frame" }
    return " with \(code)\(reason.isEmpty ? "" : " \(reason)")"
  }
}
