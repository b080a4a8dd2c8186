internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// What a copied log says that its session needs besides: files, and the sessions that people went on to.
struct CopySurvey {
  private(set) var faults: [SessionCheck.Fault] = []
  private(set) var attachments = AttachmentSurvey()
  /// The sessions that people were sent on to.
  private(set) var successors: Set<SessionID> = []
  /// True when the last record ends the session.
  private(set) var endsEnded = false

  private let id: SessionID
  private var survey = SessionSurvey()

  /// A survey of a session's log, which is yet to be read.
  init(of id: SessionID) {
    self.id = id
  }

  /// Reads a log up to its end, or to what is wrong with it.
  ///
  /// - Returns: where that is; nil when it cannot be used at all. What is wrong is among the faults, but not a last record that
  ///   was not written whole: nobody was ever told of that.
  mutating func read(_ log: KeptLog) -> LogEnd? {
    do throws(LogError) {
      let end = try log.read { (record, body) throws(RecordError) in
        do throws(RecordError) {
          try take(record, body)
        } catch {
          // The record is whole; what follows it can be read all the same.
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
        faults.append(.log(byte: end.offset, "no record says what session it is"))
      }
      return end
    } catch {
      faults.append(.log(byte: 0, "\(error)"))
      return nil
    }
  }

  private mutating func take(_ record: KeptLog.Record, _ body: Span<UInt8>) throws(RecordError) {
    endsEnded = record.known == .end
    if record.known == .upload { attachments.take(try UploadRecord(body)) }
    var found: Set<SessionID> = []
    var attachments = self.attachments
    self.attachments = AttachmentSurvey()
    defer { self.attachments = attachments }
    try survey.apply(record, body) { (entry, bytes) throws(RecordError) in
      try attachments.take(entry, bytes)
      if let successor = Self.successor(entry, bytes) { found.insert(successor) }
    }
    successors.formUnion(found)
    if record.known == .session, survey.facts?.id != id { throw RecordError(record.kind, .otherSession) }
  }

  /// The session that an entry sends everybody on to.
  private static func successor(_ found: EntryScan.Found, _ bytes: Span<UInt8>) -> SessionID? {
    let type = bytes.extracting(found.entry.type)
    guard found.entry.flags.contains(.system), type.count == newSession.count,
      newSession.indices.allSatisfy({ type[$0] == newSession[$0] }),
      // One that says nothing we know is nobody's way on.
      case .object(let members)? = try? JSONParser.parse(bytes.extracting(found.entry.payload)),
      let text = try? members.text("session")
    else { return nil }
    return SessionID(text)
  }

  private static let newSession = Array(SystemType.newSession.utf8)
}
