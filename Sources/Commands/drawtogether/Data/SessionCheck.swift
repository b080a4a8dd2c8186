internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Looks at all that is kept of one session: each record and each entry of its log, and its files.
///
/// A gateway may be at work meanwhile: an attachment may go between its entry being read and its file being looked for. What
/// is a fault once may be none, and is looked at again by whoever asks.
struct SessionCheck {
  /// Something that is not as it must be.
  enum Fault: Hashable, CustomStringConvertible {
    /// A record or an entry, from a byte of the log on.
    case log(byte: Int, String)
    /// A file beside the log, by its name in the session's folder.
    case file(String, String)

    var description: String {
      switch self {
      case .log(let byte, let words): "log, byte \(byte): \(words)"
      case .file(let name, let words): "\(name): \(words)"
      }
    }
  }

  private(set) var faults: [Fault] = []
  /// How far the log is whole, in bytes.
  private(set) var wholeBytes = 0
  /// Whether the log ends within a record, which may be being written.
  private(set) var isTorn = false
  /// How many contents and uploads there are.
  private(set) var files = 0

  private let id: SessionID
  private var survey = SessionSurvey()
  private var attachments = AttachmentSurvey()
  /// Numbers up to this one may have been given out.
  private var numbers: ParticipantNumber = 0
  /// The records with entries of numbers above that, which a later record may still give out: one before may be lost.
  private var unnumbered: [(byte: Int, number: ParticipantNumber)] = []

  /// Looks at a session.
  ///
  /// - Throws: `DataCommandFailure.gone` when it was removed.
  init(_ id: SessionID, in sessions: StoredSessions) throws(DataCommandFailure) {
    self.id = id
    do throws(DataCommandFailure) {
      let log = try sessions.log(of: id)
      try checkLog(log)
    } catch {
      guard case .log(_, let error) = error else { throw error }
      faults.append(.log(byte: 0, "\(error)"))
    }
    faults += try Self.unacceptedLosses(of: id, in: sessions)
    var check = FileCheck(in: sessions.data.attachments(of: id))
    check.look(at: try sessions.files(of: id), attachments)
    files = check.count
    faults += check.faults
  }

  /// Reports damaged bytes that were taken out of the log, until `repair` accepts the loss.
  private static func unacceptedLosses(
    of id: SessionID, in sessions: StoredSessions
  ) throws(DataCommandFailure) -> [Fault] {
    do throws(StorageError) {
      return try sessions.store.damage(of: id).map { name, length in
        .file(
          name.text,
          "\(length) damaged bytes were taken out of the log: drawtogether repair \(id) accepts the loss")
      }
    } catch {
      throw .storage(error)
    }
  }

  private mutating func checkLog(_ log: KeptLog) throws(DataCommandFailure) {
    do throws(LogError) {
      let end = try log.read { (record, body) throws(RecordError) in
        do throws(RecordError) {
          try check(record, body)
        } catch {
          // The record is whole; what follows it can be read all the same.
          faults.append(.log(byte: record.offset, "\(error)"))
        }
      }
      for (byte, number) in unnumbered where number > numbers {
        faults.append(
          .log(byte: byte, "it holds an entry of participant \(number), and there are up to \(numbers)"))
      }
      if survey.facts == nil, end.damage == nil {
        faults.append(.log(byte: end.offset, "no record says what session it is"))
      }
      if let damage = end.damage {
        isTorn = damage == .torn
        faults.append(.log(byte: end.offset, "\(damage) (\(end.length - end.offset) bytes)"))
      }
      for skipped in end.skipped {
        faults.append(.log(byte: skipped.range.lowerBound, "\(skipped)"))
      }
      wholeBytes = end.offset - end.skipped.reduce(0) { $0 + ($1.isLost ? $1.range.count : 0) }
    } catch {
      throw .log(id, error)
    }
  }

  private mutating func check(_ record: KeptLog.Record, _ body: Span<UInt8>) throws(RecordError) {
    var attachments = self.attachments
    self.attachments = AttachmentSurvey()
    defer { self.attachments = attachments }
    switch record.known {
    case .numbers: numbers = max(numbers, try NumbersRecord(body).through)
    case .used: _ = try ConsumedSequencesRecord(body)
    case .upload: attachments.take(try UploadRecord(body))
    default: break
    }
    var highest: ParticipantNumber = 0
    try survey.apply(record, body) { (found, bytes) throws(RecordError) in
      highest = max(highest, found.entry.sender)
      try attachments.take(found, bytes)
    }
    if highest > numbers { unnumbered.append((record.offset, highest)) }
    if record.known == .session, survey.facts?.id != id {
      throw RecordError(record.kind, .otherSession)
    }
  }
}
