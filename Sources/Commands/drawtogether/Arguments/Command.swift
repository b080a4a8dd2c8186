/// What the program can be told to do, by the first word of its command line.
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

  /// The flags of a command about a data folder; `nil` for a command that takes every setting.
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

  /// Those of its flags that are no settings.
  var switches: [String]? {
    flags?.filter { name in !Setting.all.contains { $0.name == name } }
  }

  /// Whether a word without dashes is what it is about.
  var takesWord: Bool {
    switch self {
    case .serve, .health, .sessions: false
    case .restore, .backup, .export, .verify, .repair, .end, .delete: true
    }
  }

  /// What that word names.
  var word: String {
    switch self {
    case .backup: "folder"
    case .restore: "folder or session"
    case .serve, .health, .sessions, .export, .verify, .repair, .end, .delete: "session"
    }
  }
}
