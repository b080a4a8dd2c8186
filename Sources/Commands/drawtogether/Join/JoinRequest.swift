/// A request to take part in a session.
struct JoinRequest: Equatable {
  enum Action: Equatable {
    /// Shows the board, live or once.
    case watch(once: Bool)
    /// Adds a text to the board.
    case say(String, at: PlanePoint?)
    /// Adds a file to the board.
    case attach(String, at: PlanePoint?, width: Double?)
    /// Prints events as lines of JSON.
    case tail(sinceStart: Bool)
  }

  /// The link of the session.
  var link: String
  /// A PEM file with certificates that are trusted in addition to the certificates of the system.
  var certificates: String?
  var name: String?
  /// `#` and six hexadecimal digits.
  var color: String?
  var action: Action
}
