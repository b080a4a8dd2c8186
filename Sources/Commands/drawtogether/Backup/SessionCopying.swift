internal import FoundationEssentials
internal import Glibc
internal import SessionCore
internal import Storage
internal import Wire

/// Copies one session as it was at one moment, even if a gateway is writing to it.
///
/// The log refers to the files of the session, but a file may be removed after the log is copied and before the file is copied.
/// So the existing contents are copied before the log, and newer files are kept open. If a file is still missing, it was created
/// and removed during the copy. A new copy of the log then contains the removal, and no longer needs the file. So the copy is
/// repeated until log and files agree.
struct SessionCopying {
  /// The result of a copy.
  struct Outcome: Equatable {
    /// The faults of the session. The copy has the same faults.
    var faults: [SessionCheck.Fault] = []
    /// False if there is no copy, because the log is missing.
    var isCopied = true
    /// The number of attachments, complete or not.
    var attachments = 0
    /// The total size of all copied files in bytes.
    var bytes: UInt64 = 0
    /// The successor sessions to which participants were sent.
    var successors: Set<SessionID> = []
  }

  /// The actions between the steps of a copy. Tests replace them.
  struct Meanwhile {
    /// The pause before a repeated attempt, in which a writer can finish.
    var wait: () -> Void = { usleep(SessionCopying.pause) }
    /// Called between the copy of the log and the copy of the files that the log refers to.
    var afterLog: () -> Void = {}
  }

  /// The result of one attempt to copy the session.
  private struct Attempt {
    var outcome = Outcome()
    /// The length of the copied log in bytes; nil if the log was not copied.
    var length: Int?
    /// The end of the readable part of the log; nil if the log is unusable.
    var end: LogEnd?
    /// True if the log has a fault.
    var hasLogFault = false
    /// True if the log or another file cannot be read.
    var isDamaged = false
    var endsEnded = false
  }

  /// The maximum number of attempts for a session that keeps changing.
  private static let attempts = 20
  /// The time between two attempts, in microseconds.
  private static let pause: UInt32 = 50_000
  /// The number of consecutive attempts after which a missing upload is a fault. A few attempts are needed, because the
  /// file of an upload is removed before the record of its removal is written, and the record waits for the disk. In
  /// contrast, the content of an attachment is removed only after the record of its removal is written.
  private static let attemptsForUploads = 10

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
  ///   - session: the session, with source and target.
  ///   - purpose: with `.restore`, the expiry times of the session start again.
  ///   - meanwhile: the actions between the steps of the copy. Tests replace them.
  /// - Returns: nil if the session does not exist, or was removed during the copy; then no files are copied.
  /// - Throws: `CopyError` if the copy cannot be written, or no descriptors are left.
  static func copy(
    _ session: SessionCopy, for purpose: DataFolderCopy.Purpose,
    _ meanwhile: Meanwhile = Meanwhile()
  ) throws(CopyError) -> Outcome? {
    var copying = SessionCopying(session, purpose, meanwhile)
    return try copying.copy()
  }

  private mutating func copy() throws(CopyError) -> Outcome? {
    try session.begin()
    var last: Attempt?
    var seen: [SessionCheck.Fault: Int] = [:]
    for attempt in 1...Self.attempts {
      let result = try runAttempt()
      if try session.isGone() {
        try session.discard()
        return nil
      }
      seen = result.outcome.faults.reduce(into: [:]) { $0[$1] = 1 + seen[$1, default: 0] }
      let isSettled =
        seen.allSatisfy { $0.value >= Self.attempts(for: $0.key) }
        // A log may look damaged during a write. It counts as damaged only if its length has not changed since the last attempt.
        && (!result.hasLogFault || result.length == last?.length)
      last = result
      if isSettled || attempt == Self.attempts { break }
      meanwhile.wait()
    }
    guard var last else { return nil }
    guard let length = last.length else {
      // Without a log the session cannot be opened.
      try session.discard()
      last.outcome.isCopied = false
      return last.outcome
    }
    try settle(last)
    let historyBytes = try copyHistory(&last.outcome.faults)
    last.outcome.bytes =
      UInt64(last.end.map { last.hasLogFault ? $0.length : $0.offset } ?? length) + files.bytes + historyBytes
    return last.outcome
  }

  /// Copies the history. The caller has copied the log before. Adds a fault if the history cannot be read.
  /// - Returns: the number of copied bytes.
  private func copyHistory(_ faults: inout [SessionCheck.Fault]) throws(CopyError) -> UInt64 {
    do throws(CopyError) {
      return try session.copyHistory()
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      // The session may have been removed after its log was copied.
      if !reason.isMissing { faults.append(.file("history", "\(reason)")) }
      return 0
    }
  }

  private static func attempts(for fault: SessionCheck.Fault) -> Int {
    switch fault {
    case .file(let name, _) where name.hasPrefix(StoredFile.Place.uploads.rawValue): attemptsForUploads
    case .file, .log: 2
    }
  }

  /// Removes copied files that the log does not need. In a restore, also appends a `restored` record to the copied log, if the
  /// log has no fault and the session has not ended.
  private mutating func settle(_ result: Attempt) throws(CopyError) {
    if !result.isDamaged { try files.discardUnneeded() }
    if purpose == .restore, !result.hasLogFault, !result.endsEnded, let end = result.end {
      // The record restarts the expiry time: the session may have been unloaded so long ago that a gateway would remove it.
      try session.append(RestoredRecord(at: .now).encoded, behind: end)
    }
  }

  private mutating func runAttempt() throws(CopyError) -> Attempt {
    var result = Attempt()
    try files.copyAhead()
    defer { files.endLog() }
    let log: LogSnapshot
    do throws(CopyError) {
      log = try session.copyLog()
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      result.outcome.faults = [.log(byte: 0, "\(reason)")]
      result.hasLogFault = true
      return result
    }
    meanwhile.afterLog()
    var survey = CopySurvey(of: session.id)
    let end = survey.read(log)
    result.length = log.length
    result.end = end
    result.endsEnded = survey.endsEnded
    result.outcome.faults = survey.faults
    result.outcome.successors = survey.successors
    result.outcome.attachments = survey.attachments.objects.count
    if let end, survey.faults.isEmpty, end.damage != nil { try session.cutLog(end) }
    result.hasLogFault = !survey.faults.isEmpty
    // The unreadable part of the log may refer to any file, so all files are copied.
    result.isDamaged = try session.copyDamagedBytes() || result.hasLogFault
    if result.isDamaged { try files.copyAll() }
    files.beginLog()
    for object in survey.attachments.objects.values.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
      if let fault = try files.copyFiles(of: object, survey.attachments.upload(object.id)) {
        result.outcome.faults.append(fault)
      }
    }
    return result
  }
}
