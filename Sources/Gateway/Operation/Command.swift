/// What the program can be told to do, by the first word of its command line.
enum Command: String, CaseIterable {
  case serve
  case health
  case sessions
  case restore
  case export
  case verify

  /// The flags of a command about a data folder; `nil` for a command that takes every setting.
  var flags: [String]? {
    switch self {
    case .serve, .health: nil
    case .sessions: ["data", "json"]
    case .export: ["data", "state"]
    case .restore, .verify: ["data"]
    }
  }

  /// Whether a word without dashes is the session that it is about.
  var takesSession: Bool {
    switch self {
    case .serve, .health, .sessions: false
    case .restore, .export, .verify: true
    }
  }
}
