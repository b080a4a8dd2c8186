internal import Networking
internal import Platform

/// Why a run broke off: one sentence, for a person.
enum BenchFailure: Error, CustomStringConvertible {
  case address(ServerURL, AddressError)
  case system(SystemError)
  case tls(String)
  case http(status: Int, target: String, detail: String = "")
  case noHTTP
  case late(target: String)
  case unanswered(target: String)
  /// The socket was closed before it had joined.
  case notJoined(socket: Int, closeCode: Int?, reason: String)
  /// It was closed in the middle of a run.
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
      "The server answered \(status) to \(target).\(detail.isEmpty ? "" : " It says: " + detail)"
    case .noHTTP: "What answers is no HTTP server."
    case .late(let target): "No answer to \(target) within 30 s."
    case .unanswered(let target): "The server closed the connection without an answer to \(target)."
    case .notJoined(let socket, let code, let reason):
      "Socket \(socket) was closed before it had joined\(Self.cause(code, reason))."
    case .closed(let socket, let code, let reason): "Socket \(socket) was closed\(Self.cause(code, reason))."
    case .upgrade(let words): "The server did not upgrade to WebSocket: \(words)."
    case .protocolFault(let words): "The server sent what this program does not read: \(words)."
    case .refused(let words): "The gateway refused an entry: \(words) Raise its limits for this load."
    case .stalled(let expected, let delivered):
      "Nothing came for at least 5 s: \(delivered) of \(expected) messages had come."
    case .nothingDelivered(let sent, let seconds):
      "Nothing was delivered in the \(seconds) s that were measured; \(sent) messages were sent."
    case .openedTooFew(let opened, let all): "Only \(opened) of \(all) sockets were open after 60 s."
    case .process(let number): "There is no process \(number) that may be looked at."
    case .noTaskset: "--cpu needs taskset, of util-linux."
    }
  }

  private static func cause(_ code: Int?, _ reason: String) -> String {
    guard let code else { return " without a close frame" }
    return " with \(code)\(reason.isEmpty ? "" : " \(reason)")"
  }
}
