internal import Gateway
internal import Wire

/// A command on the sessions in a data folder.
struct DataCommand: Equatable, Sendable {
  /// The action of a command.
  enum Action: Equatable, Sendable {
    /// Lists the sessions, as a table or as lines of JSON.
    case list(asJSON: Bool)
    /// Undoes the end of a session, or restores a backup into the folder. Prints text or a line of JSON.
    case restore(RestoreSource, asJSON: Bool)
    /// Copies the folder while a gateway uses it. `reserve` bytes stay free if source and target share a disk.
    case backup(to: String, reserve: Int, asJSON: Bool)
    /// Prints the entries of a session as lines of JSON: all entries, or only the retained ones.
    case export(SessionPrefix, onlyRetained: Bool)
    /// Checks one session or all sessions for damage.
    case verify(SessionPrefix?)
    /// Accepts the loss of damaged records of a session.
    case repair(SessionPrefix)
    /// Ends or deletes a session: through the gateway if a gateway uses the folder, otherwise directly in the folder.
    case change(SessionPrefix, SessionCommand.Work)
  }

  /// The operand of `restore`, classified by its spelling.
  enum RestoreSource: Equatable, Sendable {
    /// The folder of a backup.
    case backup(String)
    /// The name of a folder, or the beginning of a session's id if no folder with this name exists.
    case either(String, SessionPrefix)
    /// The beginning of a session's id. The operand ends with an ellipsis, as ids in the printed list of sessions do. So the
    /// operand is not the name of a folder.
    case session(SessionPrefix)

    /// Parses an operand. Text that contains a slash, is `.` or `..`, or cannot begin a session's id is the path of a folder.
    init(_ operand: String) {
      guard let prefix = SessionPrefix(operand), !operand.contains("/") else {
        self = .backup(operand)
        return
      }
      self = prefix.text == operand ? .either(operand, prefix) : .session(prefix)
    }
  }

  /// The data folder.
  var folder: String
  var action: Action
}

/// The beginning of a session's id, as copied from a log or a list.
struct SessionPrefix: Hashable, Sendable {
  /// 1–22 characters of base64url.
  let text: String

  /// Parses 1–22 characters of base64url; ignores an ellipsis at the end, which lists print.
  init?(_ text: String) {
    let shown = text.hasSuffix("…") ? String(text.dropLast()) : text
    let isPrefix =
      (1...22).contains(shown.utf8.count)
      && shown.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
    guard isPrefix else { return nil }
    self.text = shown
  }

  /// Creates a prefix from the whole id of a session.
  init(_ session: SessionID) {
    text = session.text
  }

  /// Returns true if the id of `session` begins with this prefix.
  func matches(_ session: SessionID) -> Bool { session.text.hasPrefix(text) }
}
