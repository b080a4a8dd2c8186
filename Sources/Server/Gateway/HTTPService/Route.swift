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
  case echo
  case limits
  case healthz
  case readyz
  case metrics
  /// An unknown path below `/api`.
  case unknownAPI
  case file

  init(_ path: String) {
    switch path {
    case "/api/sessions": self = .sessions
    case "/echo": self = .echo
    case "/api/limits": self = .limits
    case "/healthz": self = .healthz
    case "/readyz": self = .readyz
    case "/metrics": self = .metrics
    default:
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count >= 2, parts[1] == "api" else {
        self = .file
        return
      }
      guard parts.count >= 4, parts[2] == "sessions" else {
        self = .unknownAPI
        return
      }
      let id = SessionID(parts[3])
      switch (parts.count, parts.last) {
      case (4, _): self = .session(id)
      case (5, "socket"): self = .socket(id)
      case (5, "attachments"): self = .attachments(id)
      case (6, _) where parts[4] == "attachments": self = .attachment(id, UUID(uuidString: String(parts[5])))
      default: self = .unknownAPI
      }
    }
  }

  /// The allowed methods, as the value of the field `Allow`.
  var methods: String {
    switch self {
    case .sessions: "POST, OPTIONS"
    case .session: "GET, HEAD, DELETE, OPTIONS"
    case .attachments: "GET, HEAD, POST, OPTIONS"
    case .attachment: "GET, HEAD, PATCH, DELETE, OPTIONS"
    case .socket, .echo: "GET, OPTIONS"
    case .limits, .healthz, .readyz, .metrics, .file, .unknownAPI: "GET, HEAD, OPTIONS"
    }
  }

  /// The session in the path; nil if the path contains no session, or an invalid session id.
  var session: SessionID? {
    switch self {
    case .session(let id), .socket(let id), .attachments(let id), .attachment(let id, _): id
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
  func allows(_ method: Method) -> Bool {
    methods.split(separator: ", ").contains { $0 == method.name }
  }
}
