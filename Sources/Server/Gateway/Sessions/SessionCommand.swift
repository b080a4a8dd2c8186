package import Wire

/// A command of the operator about one session. It is sent as one line to the gateway that uses the data folder.
package struct SessionCommand: Equatable, Sendable {
  /// The kind of a command.
  package enum Work: String, Sendable {
    /// Ends the session for all participants. The ended session stays on the disk for a while, and can be restored.
    case end
    /// Removes a session without participants, and its attachments.
    case delete
    /// Ends a session, even if it has participants, and removes it.
    case deleteNow = "delete-now"
    /// Moves damaged bytes out of the session's log.
    case repair
  }

  package var work: Work
  package var session: SessionID

  /// Creates a command.
  package init(_ work: Work, _ session: SessionID) {
    self.work = work
    self.session = session
  }

  /// Parses a line; nil for an unknown command.
  package init?(line: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let work = Work(rawValue: String(words[0])),
      let session = SessionID(String(words[1]))
    else { return nil }
    self.init(work, session)
  }

  /// The command as a line of text.
  package var line: String { "\(work.rawValue) \(session.text)" }

  /// The result of a command.
  package enum Answer: Equatable, Sendable {
    /// The command was performed, and its result is on the disk.
    case done
    /// The command was refused, for the given reason.
    case refused(String)

    /// Parses the line of an answer. A line that is no known answer becomes a refusal with this line as its reason.
    package init(line: String) {
      let word = "refused "
      self =
        line == "done" ? .done : .refused(line.hasPrefix(word) ? String(line.dropFirst(word.count)) : line)
    }

    /// The answer as a line of text.
    package var line: String {
      switch self {
      case .done: "done"
      case .refused(let reason): "refused \(reason)"
      }
    }
  }
}
