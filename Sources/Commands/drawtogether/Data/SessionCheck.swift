internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Checks one stored session: every record and entry of its log, and its files.
///
/// A gateway may write to the session during the check: an attachment may be removed between the reading of its entry and the
/// check of its file. So a fault that only one check finds may not be a real fault; `SteadyCheck` repeats the check.
struct SessionCheck {
  /// A fault of a session.
  enum Fault: Hashable, CustomStringConvertible {
    /// A fault in a record or an entry. `byte` is its offset in the log.
    case log(byte: Int, String)
    /// A fault of a file other than the log. The values are the file's path in the folder of the session, and a description.
    case file(String, String)

    var description: String {
      switch self {
      case .log(let byte, let words): "log, byte \(byte): \(words)"
      case .file(let name, let words): "\(name): \(words)"
      }
    }
  }

  private(set) var faults: [Fault] = []
  /// The number of bytes of the log that have no faults.
  private(set) var wholeBytes = 0
  /// The number of checked attachment files: complete contents and incomplete uploads.
  private(set) var files = 0

  private let id: SessionID
  private var survey = SessionSurvey()
  private var attachments = AttachmentSurvey()
  /// The highest participant number that the session may have assigned, according to the `numbers` records.
  private var numbers: ParticipantNumber = 0
  /// The records with entries of participants whose numbers are higher than the property `numbers`. The `numbers` record that
  /// allowed these participant numbers may be lost. So such a record is not a fault if a later `numbers` record allows the
  /// numbers.
  private var unnumbered: [(byte: Int, number: ParticipantNumber)] = []

  /// Checks a session.
  ///
  /// - Throws: `CommandError.gone` if the session was removed.
  init(_ id: SessionID, in sessions: StoredSessions) throws(CommandError) {
    self.id = id
    do throws(CommandError) {
      let log = try sessions.log(of: id)
      try checkLog(log)
    } catch {
      guard case .log(_, let error) = error else { throw error }
      faults.append(.log(byte: 0, "\(error)"))
    }
    faults += try Self.unacceptedLosses(of: id, in: sessions)
    var fileCheck = FileCheck(in: sessions.data.attachments(of: id))
    fileCheck.check(try sessions.files(of: id), attachments)
    files = fileCheck.count
    faults += fileCheck.faults
    faults += try Self.damagedHistory(of: id, in: sessions)
  }

  /// Returns the pieces of the session's history that cannot be read.
  private static func damagedHistory(
    of id: SessionID, in sessions: StoredSessions
  ) throws(CommandError) -> [Fault] {
    var faults: [Fault] = []
    for piece in try CommandError.converting(try sessions.store.historyPieces(of: id)) {
      do throws(StorageError) {
        try sessions.store.openHistory(piece, of: id).check()
      } catch {
        // A gateway may have removed the piece after it was listed.
        if !error.isMissing { faults.append(.file(piece.fileName, "\(error)")) }
      }
    }
    return faults
  }

  /// Returns the damaged bytes that were removed from the log and whose loss is not accepted yet.
  private static func unacceptedLosses(
    of id: SessionID, in sessions: StoredSessions
  ) throws(CommandError) -> [Fault] {
    try CommandError.converting(try sessions.store.damage(of: id)).map { name, length in
      .file(
        name.text,
        "\(length) damaged bytes were removed from the log: to accept the loss, run drawtogether repair \(id)"
      )
    }
  }

  private mutating func checkLog(_ log: LogSnapshot) throws(CommandError) {
    do throws(StorageError) {
      let end = try log.read { (record, body) throws(RecordError) in
        do throws(RecordError) {
          try check(record, body)
        } catch {
          // The record is intact, but its contents are faulty. The fault is recorded, and the reading continues with the next
          // record.
          faults.append(.log(byte: record.offset, "\(error)"))
        }
      }
      for (byte, number) in unnumbered where number > numbers {
        faults.append(
          .log(
            byte: byte,
            "an entry is from participant \(number), but the highest participant number is \(numbers)")
        )
      }
      if survey.facts == nil, end.damage == nil {
        faults.append(.log(byte: end.offset, "the log has no record that identifies the session"))
      }
      if let damage = end.damage {
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

  private mutating func check(_ record: LogSnapshot.Record, _ body: Span<UInt8>) throws(RecordError) {
    var attachments = self.attachments
    self.attachments = AttachmentSurvey()
    defer { self.attachments = attachments }
    switch record.known {
    case .numbers: numbers = max(numbers, try NumbersRecord(body).through)
    case .used: _ = try ConsumedSequencesRecord(body)
    case .time: _ = try TimeRecord(body)
    case .upload: attachments.apply(try UploadRecord(body))
    default: break
    }
    var highest: ParticipantNumber = 0
    try survey.apply(record, body) { (found, bytes) throws(RecordError) in
      highest = max(highest, found.entry.sender)
      try attachments.apply(found, bytes)
    }
    if highest > numbers { unnumbered.append((record.offset, highest)) }
    if record.known == .session, survey.facts?.id != id {
      throw RecordError(record.kind, .otherSession)
    }
  }
}
