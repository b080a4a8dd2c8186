internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Writes what a session holds as lines of JSON: the session itself, then an entry a line.
///
/// The log is read twice, a piece at a time: the first time for what the session is and what is retained, the second time for
/// the entries. Both times it is the log as it was when it was opened, whatever its gateway does with it meanwhile.
struct SessionExport {
  private let id: SessionID
  private let onlyRetained: Bool
  private var survey = SessionSurvey()
  private var retained = RetainedSet()

  /// Writes a session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - onlyRetained: whether entries are left out that a snapshot of the session would do without.
  ///   - log: its log.
  ///   - output: where the lines go; all of them, when this returns.
  /// - Returns: how far the log could be read, and what is wrong with it.
  /// - Throws: `DataCommandFailure` when the log cannot be read, or the output not be written to.
  static func write(
    _ id: SessionID, onlyRetained: Bool, from log: KeptLog, to output: inout StandardOutput
  ) throws(DataCommandFailure) -> LogEnd {
    var export = SessionExport(id: id, onlyRetained: onlyRetained)
    let end: LogEnd
    do throws(LogError) {
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

  /// The first line: what the session is.
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
    of log: KeptLog, to output: inout StandardOutput
  ) throws(DataCommandFailure) {
    var scan = EntryScan()
    // What the output throws is no fault of a record: it is kept until the record is read.
    var failure: DataCommandFailure?
    do throws(LogError) {
      _ = try log.read { (record, body) throws(RecordError) in
        guard failure == nil else { return }
        var lines: [UInt8] = []
        try scan.read(record.known, body) { (found, bytes) throws(RecordError) in
          guard !onlyRetained || retained.holds(found) else { return }
          lines += EntryLine.json(
            found.entry, of: bytes, sender: survey.people[found.entry.sender]?.name, targets: found.targets)
        }
        do throws(DataCommandFailure) {
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
