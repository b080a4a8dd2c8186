internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// The files and successor sessions that a copied log refers to.
struct CopySurvey {
  private(set) var faults: [SessionCheck.Fault] = []
  private(set) var attachments = AttachmentSurvey()
  /// The successor sessions to which participants were sent.
  private(set) var successors: Set<SessionID> = []
  /// True when the last record ends the session.
  private(set) var endsEnded = false

  private let id: SessionID
  private var survey = SessionSurvey()

  /// Creates a survey of the log of a session.
  init(of id: SessionID) {
    self.id = id
  }

  /// Reads a log up to its end, or up to damage after which no record can be read.
  ///
  /// - Returns: the end of the readable part; nil if the log is unusable. Damage is added to the faults, except an incomplete last
  ///   record, which was never acknowledged.
  mutating func read(_ log: LogSnapshot) -> LogEnd? {
    do throws(StorageError) {
      let end = try log.read { (record, body) throws(RecordError) in
        do throws(RecordError) {
          try apply(record, body)
        } catch {
          // The record is intact, but its contents are faulty. The fault is recorded, and the reading continues with the next
          // record.
          faults.append(.log(byte: record.offset, "\(error)"))
        }
      }
      for skipped in end.skipped {
        faults.append(.log(byte: skipped.range.lowerBound, "\(skipped)"))
      }
      if end.damage == .broken || (end.damage != nil && end.offset == 0) {
        faults.append(
          .log(byte: end.offset, "\(end.damage ?? .broken) (\(end.length - end.offset) bytes)"))
      } else if survey.facts == nil {
        faults.append(.log(byte: end.offset, "the log has no record that identifies the session"))
      }
      return end
    } catch {
      faults.append(.log(byte: 0, "\(error)"))
      return nil
    }
  }

  private mutating func apply(_ record: LogSnapshot.Record, _ body: Span<UInt8>) throws(RecordError) {
    endsEnded = record.known == .end
    if record.known == .upload { attachments.apply(try UploadRecord(body)) }
    var found: Set<SessionID> = []
    var attachments = self.attachments
    self.attachments = AttachmentSurvey()
    defer { self.attachments = attachments }
    try survey.apply(record, body) { (entry, bytes) throws(RecordError) in
      try attachments.apply(entry, bytes)
      if let successor = Self.successor(entry, bytes) { found.insert(successor) }
    }
    successors.formUnion(found)
    if record.known == .session, survey.facts?.id != id { throw RecordError(record.kind, .otherSession) }
  }

  /// Returns the successor session that an entry announces.
  private static func successor(_ found: EntryScan.Found, _ bytes: Span<UInt8>) -> SessionID? {
    let type = bytes.extracting(found.entry.type)
    guard found.entry.flags.contains(.system), type.count == newSession.count,
      newSession.indices.allSatisfy({ type[$0] == newSession[$0] }),
      // An unreadable payload announces no session.
      case .object(let members)? = try? JSONParser.parse(bytes.extracting(found.entry.payload)),
      let text = try? members.text("session")
    else { return nil }
    return SessionID(text)
  }

  private static let newSession = Array(SystemType.newSession.utf8)
}
