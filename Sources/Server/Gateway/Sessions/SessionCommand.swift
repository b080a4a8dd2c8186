package import Wire

/// An operator's command about one session, as it is sent to the gateway that has the data folder.
package struct SessionCommand: Equatable, Sendable {
  /// The kind of a command.
  package enum Work: String, Sendable {
    /// Ends the session for everyone; it is kept for a while, and can be restored.
    case end
    /// Removes an empty session and its attachments.
    case delete
    /// Ends a session, also one with participants, and removes it.
    case deleteNow = "delete-now"
    /// Takes damaged bytes out of the session's log.
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

  /// The command as a line.
  package var line: String { "\(work.rawValue) \(session.text)" }

  /// The outcome of a command.
  package enum Answer: Equatable, Sendable {
    /// The command is done, and on the disk.
    case done
    /// Nothing was done, for a reason in one clause.
    case refused(String)

    /// Parses a line. An unknown answer is a refusal with the line as its reason.
    package init(line: String) {
      let word = "refused "
      self =
        line == "done" ? .done : .refused(line.hasPrefix(word) ? String(line.dropFirst(word.count)) : line)
    }

    /// The answer as a line.
    package var line: String {
      switch self {
      case .done: "done"
      case .refused(let reason): "refused \(reason)"
      }
    }
  }
}
