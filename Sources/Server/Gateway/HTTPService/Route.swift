internal import FoundationEssentials
internal import HTTP
internal import Wire

/// The target of a request, derived from the request's path.
enum Route: Equatable {
  case sessions
  case session(SessionID?)
  case socket(SessionID?)
  case attachments(SessionID?)
  case attachment(SessionID?, UUID?)
  case history(SessionID?)
  case echo
  case limits
  case healthz
  case readyz
  case metrics
  /// An unknown path below `/api`.
  case unknownAPI
  case file

  init(_ path: String) {
    if let session = Self.sessionOfSocket(path) {
      self = .socket(session)
      return
    }
    switch path {
    case "/api/sessions": self = .sessions
    case "/echo": self = .echo
    case "/api/limits": self = .limits
    case "/healthz": self = .healthz
    case "/readyz": self = .readyz
    case "/metrics": self = .metrics
    default:
      // The path is split by bytes, which takes less time than splitting a string by characters.
      let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard parts.count >= 2, parts[1].elementsEqual("api".utf8) else {
        self = .file
        return
      }
      guard parts.count >= 4, parts[2].elementsEqual("sessions".utf8) else {
        self = .unknownAPI
        return
      }
      let id = SessionID(Array(parts[3]).span)
      let name = parts.count > 4 ? parts[4] : ""[...].utf8
      switch parts.count {
      case 4: self = .session(id)
      case 5 where name.elementsEqual("socket".utf8): self = .socket(id)
      case 5 where name.elementsEqual("attachments".utf8): self = .attachments(id)
      case 5 where name.elementsEqual("history".utf8): self = .history(id)
      case 6 where name.elementsEqual("attachments".utf8):
        self = .attachment(id, UUID(uuidString: String(Substring(parts[5]))))
      default: self = .unknownAPI
      }
    }
  }

  /// Returns the id in the path `/api/sessions/{id}/socket`; nil for any other path, and if the id is invalid. Each participant
  /// that joins requests such a path. This function recognizes it without splitting it, which would take 10,000 instructions.
  private static func sessionOfSocket(_ path: String) -> SessionID? {
    let (prefix, suffix) = ("/api/sessions/", "/socket")
    guard path.hasPrefix(prefix), path.hasSuffix(suffix) else { return nil }
    let bytes = path.utf8.span
    return SessionID(
      bytes.extracting(droppingFirst: prefix.utf8.count).extracting(droppingLast: suffix.utf8.count))
  }

  /// The allowed methods, as the value of the field `Allow`.
  var methods: String { allowedMethods.map(\.name).joined(separator: ", ") }

  private var allowedMethods: [Method] {
    switch self {
    case .sessions: [.post, .options]
    case .session: [.get, .head, .delete, .options]
    case .attachments: [.get, .head, .post, .options]
    case .attachment: [.get, .head, .patch, .delete, .options]
    case .socket, .echo: [.get, .options]
    case .history: [.get, .head, .options]
    case .limits, .healthz, .readyz, .metrics, .file, .unknownAPI: [.get, .head, .options]
    }
  }

  /// The session in the path; nil if the path contains no session, or an invalid session id.
  var session: SessionID? {
    switch self {
    case .session(let id), .socket(let id), .attachments(let id), .attachment(let id, _), .history(let id): id
    case .sessions, .echo, .limits, .healthz, .readyz, .metrics, .unknownAPI, .file: nil
    }
  }

  /// True for the routes of attachments.
  var isForAttachments: Bool {
    switch self {
    case .attachments, .attachment: true
    default: false
    }
  }

  /// True for the routes that accept WebSocket handshakes.
  var isSocket: Bool {
    switch self {
    case .socket, .echo: true
    default: false
    }
  }

  /// True for health checks and metrics. The gateway answers them even if the limit `connections` is reached.
  var isMonitoring: Bool {
    switch self {
    case .healthz, .readyz, .metrics: true
    default: false
    }
  }

  /// Returns true if this route allows a method.
  func allows(_ method: Method) -> Bool { allowedMethods.contains(method) }
}
