internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Writes a session as lines of JSON: first the session, then one entry per line.
///
/// The log is read twice, in chunks: first for the session and the retained keys, then for the entries. Both passes read the log
/// in the state in which it was opened, even if a gateway writes to it.
struct SessionExport {
  private let id: SessionID
  private let onlyRetained: Bool
  private var survey = SessionSurvey()
  private var retained = RetainedSet()

  /// Writes a session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - onlyRetained: true to omit entries that a snapshot of the session would not contain.
  ///   - log: the log of the session.
  ///   - output: the destination of the lines, flushed on return.
  /// - Returns: the end of the readable log, with its damage.
  /// - Throws: `CommandError` if the log cannot be read or the output cannot be written.
  static func write(
    _ id: SessionID, onlyRetained: Bool, from log: LogSnapshot, to output: inout StandardOutput
  ) throws(CommandError) -> LogEnd {
    var export = SessionExport(id: id, onlyRetained: onlyRetained)
    let end: LogEnd
    do throws(StorageError) {
      end = try log.read { (record, body) throws(RecordError) in
        try export.survey.apply(record, body) { (found, _) throws(RecordError) in
          export.retained.apply(found)
        }
      }
    } catch {
      throw .log(id, error)
    }
    try output(export.head)
    try export.writeEntries(of: log, to: &output)
    try output.flush()
    return end
  }

  private init(id: SessionID, onlyRetained: Bool) {
    self.id = id
    self.onlyRetained = onlyRetained
  }

  /// The first line, which describes the session.
  private var head: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("session", id.description)
      writer.member("activity", survey.facts?.activity)
      writer.member("createdAt", survey.facts?.createdAt.formatted(.iso8601))
      survey.state.writeMembers(to: &writer)
      writer.member("sequence", survey.scan.sequence)
      writer.member("people", survey.people.count)
      writer.member("entries", survey.entries)
      writer.member("keys", retained.count)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private func writeEntries(
    of log: LogSnapshot, to output: inout StandardOutput
  ) throws(CommandError) {
    var scan = EntryScan()
    // A write error is not a `RecordError`, so the closure stores it. The error is thrown after the log is read.
    var failure: CommandError?
    do throws(StorageError) {
      _ = try log.read { (record, body) throws(RecordError) in
        guard failure == nil else { return }
        var lines: [UInt8] = []
        try scan.read(record.known, body) { (found, bytes) throws(RecordError) in
          guard !onlyRetained || retained.retains(found) else { return }
          lines += EntryLine.json(
            found.entry, of: bytes, sender: survey.people[found.entry.sender]?.name, targets: found.targets)
        }
        do throws(CommandError) {
          try output(lines)
        } catch {
          failure = error
        }
      }
    } catch {
      throw .log(id, error)
    }
    if let failure { throw failure }
  }
}
