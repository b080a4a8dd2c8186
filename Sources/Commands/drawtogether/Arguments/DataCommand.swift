internal import Gateway
internal import Wire

/// A command about the sessions in a data folder that needs no gateway.
struct DataCommand: Equatable, Sendable {
  /// What is to be done.
  enum Work: Equatable, Sendable {
    /// Show every session; as lines of JSON for programs.
    case list(asJSON: Bool)
    /// Undo the end of a session, or put a backup into the folder; with a line of JSON for programs.
    case restore(Restored, asJSON: Bool)
    /// Copy the folder while its gateway goes on; so many bytes stay free where both share a disk.
    case backup(to: String, reserve: Int, asJSON: Bool)
    /// Write a session's entries as lines of JSON: all that are kept, or only those that are retained now.
    case export(SessionPrefix, onlyRetained: Bool)
    /// Look for damage, in one session or in all of them.
    case verify(SessionPrefix?)
    /// Accept that damaged records of a session are lost.
    case repair(SessionPrefix)
    /// End or delete a session, by the gateway that has the folder or directly.
    case change(SessionPrefix, SessionCommand.Work)
  }

  /// What is to be restored, as far as its name tells.
  enum Restored: Equatable, Sendable {
    /// The folder of a backup.
    case backup(String)
    /// A folder of that name or, if there is none, a session.
    case either(String, SessionPrefix)
    /// A session: no folder is called so without a path before it.
    case session(SessionPrefix)

    /// Reads a word: with a slash in it, and as `.` or `..`, it is a folder, and so it is with what no session's id has.
    init(_ word: String) {
      guard let prefix = SessionPrefix(word), !word.contains("/") else {
        self = .backup(word)
        return
      }
      self = prefix.text == word ? .either(word, prefix) : .session(prefix)
    }
  }

  /// The data folder.
  var folder: String
  var work: Work

  /// A command of its parts.
  init(folder: String, work: Work) {
    self.folder = folder
    self.work = work
  }
}

/// The beginning of a session's id, as somebody who saw it in a log or a list types it.
struct SessionPrefix: Hashable, Sendable {
  /// 1–22 characters of base64url.
  let text: String

  /// Reads 1–22 characters of base64url; an ellipsis behind them, as lists show it, counts for nothing.
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

  /// The whole id of a session.
  init(_ session: SessionID) {
    text = session.text
  }

  /// Whether that session's id begins so.
  func matches(_ session: SessionID) -> Bool { session.text.hasPrefix(text) }
}
