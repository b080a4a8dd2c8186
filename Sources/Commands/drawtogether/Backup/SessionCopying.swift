internal import FoundationEssentials
internal import Glibc
internal import SessionCore
internal import Storage
internal import Wire

/// Copies one session as it was at one moment, while a gateway may be writing to it.
///
/// The log says which files belong to it, and by the time that it is read some of them may have gone. So the contents that there
/// are are copied before it, and what came meanwhile is held open. What is missing all the same came and went in between, and the
/// record that says so is in the log by now: so all this is done again, until both agree.
struct SessionCopying {
  /// What came of it.
  struct Outcome: Equatable {
    /// What was wrong with the session and so is with its copy.
    var faults: [SessionCheck.Fault] = []
    /// Whether there is a copy: without a log there is none.
    var isCopied = true
    /// How many attachments it has, whole or not.
    var attachments = 0
    /// Of its files.
    var bytes: UInt64 = 0
    /// The sessions that people were sent on to.
    var successors: Set<SessionID> = []
  }

  /// What is done between the steps.
  struct Meanwhile {
    /// Lets somebody who is writing finish, before all is looked at again.
    var wait: () -> Void = { usleep(SessionCopying.pause) }
    /// When the log is copied, and its files are not.
    var behindLog: () -> Void = {}
  }

  /// What one copy of the log, and of the files that it names, gave.
  private struct Look {
    var outcome = Outcome()
    /// Of the log that was copied, in bytes; nil when none was.
    var length: Int?
    /// Up to where that was read; nil when it cannot be used.
    var end: LogEnd?
    /// Whether the log is not as it should be.
    var hasLogFault = false
    /// Whether something cannot be read, in the log or beside it.
    var isDamaged = false
    var endsEnded = false
  }

  /// How often the log is copied of a session that changes all the while.
  private static let attempts = 20
  /// How long something may be on its way into a file, in microseconds.
  private static let pause: UInt32 = 50_000
  /// How often in a row an upload's file is missing until it is: it goes before the record that says so, which waits for the disk.
  /// A content goes after its record.
  private static let looksForUploads = 10

  private let session: SessionCopy
  private let purpose: DataFolderCopy.Purpose
  private let meanwhile: Meanwhile
  private var files: SessionFileCopying

  private init(_ session: SessionCopy, _ purpose: DataFolderCopy.Purpose, _ meanwhile: Meanwhile) {
    self.session = session
    self.purpose = purpose
    self.meanwhile = meanwhile
    files = SessionFileCopying(session)
  }

  /// Copies a session.
  ///
  /// - Parameters:
  ///   - session: where from and where to.
  ///   - purpose: in a folder that is restored a session begins its time anew.
  ///   - meanwhile: what is done between its steps.
  /// - Returns: nil when there is no such session, or it was removed meanwhile; then nothing is left of it.
  /// - Throws: `CopyError` when the copy cannot be written, or nothing can be read for want of descriptors.
  static func copy(
    _ session: SessionCopy, for purpose: DataFolderCopy.Purpose,
    _ meanwhile: Meanwhile = Meanwhile()
  ) throws(CopyError) -> Outcome? {
    var copying = SessionCopying(session, purpose, meanwhile)
    return try copying.copy()
  }

  private mutating func copy() throws(CopyError) -> Outcome? {
    try session.begin()
    var last: Look?
    var seen: [SessionCheck.Fault: Int] = [:]
    for attempt in 1...Self.attempts {
      let look = try self.look()
      if try session.isGone() {
        try session.discard()
        return nil
      }
      seen = look.outcome.faults.reduce(into: [:]) { $0[$1] = 1 + seen[$1, default: 0] }
      let isSettled =
        seen.allSatisfy { $0.value >= Self.looks(for: $0.key) }
        // A damaged log may have been read amid a write; it is one when nobody writes to it and it still is.
        && (!look.hasLogFault || look.length == last?.length)
      last = look
      if isSettled || attempt == Self.attempts { break }
      meanwhile.wait()
    }
    guard var last else { return nil }
    guard let length = last.length else {
      // Without a log nobody could open it.
      try session.discard()
      last.outcome.isCopied = false
      return last.outcome
    }
    try settle(last)
    last.outcome.bytes =
      UInt64(last.end.map { last.hasLogFault ? $0.length : $0.offset } ?? length) + files.bytes
    return last.outcome
  }

  private static func looks(for fault: SessionCheck.Fault) -> Int {
    switch fault {
    case .file(let name, _) where name.hasPrefix(StoredFile.Place.uploads.rawValue): looksForUploads
    case .file, .log: 2
    }
  }

  /// Leaves of what was copied only what belongs together.
  private mutating func settle(_ look: Look) throws(CopyError) {
    if !look.isDamaged { try files.discardUnneeded() }
    if purpose == .restore, !look.hasLogFault, !look.endsEnded, let end = look.end {
      // Nobody was there since it was put away, which may be longer ago than sessions are kept.
      try session.append(RestoredRecord(at: .now).encoded, behind: end)
    }
  }

  private mutating func look() throws(CopyError) -> Look {
    var look = Look()
    try files.copyAhead()
    defer { files.endLog() }
    let log: KeptLog
    do throws(CopyError) {
      log = try session.copyLog()
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      look.outcome.faults = [.log(byte: 0, "\(reason)")]
      look.hasLogFault = true
      return look
    }
    meanwhile.behindLog()
    var survey = CopySurvey(of: session.id)
    let end = survey.read(log)
    look.length = log.length
    look.end = end
    look.endsEnded = survey.endsEnded
    look.outcome.faults = survey.faults
    look.outcome.successors = survey.successors
    look.outcome.attachments = survey.attachments.objects.count
    if let end, survey.faults.isEmpty, end.damage != nil { try session.cutLog(end) }
    look.hasLogFault = !survey.faults.isEmpty
    // What cannot be read may name any of them.
    look.isDamaged = try session.copyDamagedRests() || look.hasLogFault
    if look.isDamaged { try files.copyAll() }
    files.beginLog()
    for object in survey.attachments.objects.values.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
      if let fault = try files.copyFiles(of: object, survey.attachments.upload(object.id)) {
        look.outcome.faults.append(fault)
      }
    }
    return look
  }
}
