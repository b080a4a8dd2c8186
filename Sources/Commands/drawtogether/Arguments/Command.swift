/// The first word of the command line.
enum Command: String, CaseIterable {
  case serve
  case health
  case sessions
  case export
  case verify
  case repair
  case backup
  case restore
  case end
  case delete

  /// The flags of a command on a data folder; nil for a command that accepts every setting.
  var flags: [String]? {
    switch self {
    case .serve, .health: nil
    case .sessions: ["data", "json"]
    case .export: ["data", "state"]
    case .verify, .repair, .end: ["data"]
    case .delete: ["data", "now"]
    case .backup: ["data", "disk-reserve-bytes", "json"]
    case .restore: ["data", "json"]
    }
  }

  /// The flags that are not settings.
  var switches: [String]? {
    flags?.filter { name in !Setting.all.contains { $0.name == name } }
  }

  /// True for a command that applies to a session or a folder.
  var takesOperand: Bool {
    switch self {
    case .serve, .health, .sessions: false
    case .restore, .backup, .export, .verify, .repair, .end, .delete: true
    }
  }

  /// The kind of the operand.
  var operand: String {
    switch self {
    case .backup: "folder"
    case .restore: "folder or session"
    case .serve, .health, .sessions, .export, .verify, .repair, .end, .delete: "session"
    }
  }
}
