internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// The rows of all sessions in a data folder.
struct SessionList {
  /// The rows, newest first.
  private(set) var rows: [SessionRow] = []
  /// The sessions whose logs cannot be read, with the errors.
  private(set) var faults: [(id: SessionID, error: StorageError)] = []

  /// Reads every session. The last record of an unloaded session describes it completely. For any other session, the whole log
  /// is read.
  init(of sessions: StoredSessions) throws(CommandError) {
    for id in try sessions.all() {
      do throws(StorageError) {
        rows.append(try Self.row(id, sessions.store))
      } catch {
        // A session that is removed while the list is built is not listed.
        if try !sessions.isGone(id, error) {
          faults.append((id, error))
          rows.append(SessionRow(id: id, changedAt: .distantPast, logBytes: 0, files: 0, fileBytes: 0))
        }
      }
    }
    rows.sort { ($0.changedAt, $0.id.text) > ($1.changedAt, $1.id.text) }
  }

  private static func row(_ id: SessionID, _ store: FolderStore) throws(StorageError) -> SessionRow {
    let log = try store.log(of: id)
    var row = try measured(id, store)
    row.changedAt = log.modified
    row.logBytes = UInt64(log.length)
    if let last = try log.last(), last.kind == SessionRecord.Kind.closed.rawValue {
      do throws(RecordError) {
        let closed = try ClosedRecord(last.body.span)
        row.title = closed.title
        row.createdAt = closed.createdAt
        row.people = closed.people
        row.state = .closed(closed.at)
        return row
      } catch {
        throw .record(error)
      }
    }
    var survey = SessionSurvey()
    _ = try log.read { (record, body) throws(RecordError) in try survey.apply(record, body) }
    row.title = survey.facts?.activity.title
    row.createdAt = survey.facts?.createdAt
    row.people = survey.people.count
    row.state = survey.state
    return row
  }

  /// Returns a row with the number of the session's upload and attachment files, and with the total size of these files and of the
  /// history. The other members of the row are placeholders.
  private static func measured(_ id: SessionID, _ store: FolderStore) throws(StorageError) -> SessionRow {
    let files = try store.files(of: id)
    let historyBytes = try store.historyPieces(of: id).byteCount
    return SessionRow(
      id: id, changedAt: .distantPast, logBytes: 0, files: files.count,
      fileBytes: files.reduce(UInt64(historyBytes)) { $0 + $1.length })
  }
}
