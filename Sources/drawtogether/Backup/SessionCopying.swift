internal import FoundationEssentials
internal import Glibc
internal import SessionCore
internal import Storage
internal import Wire

/// Copies one session as it was at one moment, while a gateway may be writing to it.
///
/// The log is copied first: it says which files belong to it. A file that is not there any more went after the record that says
/// so, and one that is not there yet has another name: so the log is copied again, until both agree.
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
    var endsClosed = false
  }

  /// How often the log is copied of a session that changes all the while.
  private static let attempts = 20
  /// How long something may be on its way into a file, in microseconds.
  private static let pause: UInt32 = 50_000

  private let session: SessionCopy
  private let purpose: DataFolderCopy.Purpose
  private let wait: () -> Void
  /// The lengths of contents that were copied: they stay what they are.
  private var contents: [String: UInt64] = [:]
  /// Why contents could not be copied that are there.
  private var unreadable: [String: StorageError] = [:]
  /// The uploads that were copied, with their lengths, and what the last log named.
  private var uploads: [UUID: UInt64] = [:]
  private var neededContents: Set<String> = []
  private var neededUploads: Set<UUID> = []

  private init(_ session: SessionCopy, _ purpose: DataFolderCopy.Purpose, _ wait: @escaping () -> Void) {
    self.session = session
    self.purpose = purpose
    self.wait = wait
  }

  /// Copies a session.
  ///
  /// - Parameters:
  ///   - session: where from and where to.
  ///   - purpose: in a folder that is restored a session begins its time anew.
  ///   - wait: lets somebody who is writing finish.
  /// - Returns: nil when there is no such session, or it was removed meanwhile; then nothing is left of it.
  /// - Throws: `CopyError` when the copy cannot be written, or nothing can be read for want of descriptors.
  static func copy(
    _ session: SessionCopy, for purpose: DataFolderCopy.Purpose,
    waitingBy wait: @escaping () -> Void = { usleep(Self.pause) }
  ) throws(CopyError) -> Outcome? {
    var copying = SessionCopying(session, purpose, wait)
    return try copying.copy()
  }

  private mutating func copy() throws(CopyError) -> Outcome? {
    try session.begin()
    var last: Look?
    for attempt in 1...Self.attempts {
      let look = try self.look()
      if try session.isGone() {
        try session.discard()
        return nil
      }
      let isSettled =
        look.outcome.faults.isEmpty
        || (look.outcome.faults == last?.outcome.faults
          // A damaged log may have been read amid a write; it is one when nobody writes to it and it still is.
          && (!look.hasLogFault || look.length == last?.length))
      last = look
      if isSettled || attempt == Self.attempts { break }
      wait()
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
      UInt64(last.end.map { last.hasLogFault ? $0.length : $0.offset } ?? length)
      + contents.values.reduce(0, +) + uploads.values.reduce(0, +)
    return last.outcome
  }

  /// Leaves of what was copied only what belongs together.
  private mutating func settle(_ look: Look) throws(CopyError) {
    if !look.isDamaged {
      for digest in contents.keys where !neededContents.contains(digest) {
        try session.discardContent(digest)
        contents[digest] = nil
      }
      for file in uploads.keys where !neededUploads.contains(file) {
        try session.discardUpload(file)
        uploads[file] = nil
      }
    }
    if purpose == .restore, !look.hasLogFault, look.endsClosed, let end = look.end {
      // Nobody was there since it was put away, which may be longer ago than sessions are kept.
      try session.append(RestoredFacts(at: .now).record, behind: end)
    }
  }

  private mutating func look() throws(CopyError) -> Look {
    var look = Look()
    let log: KeptLog
    do throws(CopyError) {
      log = try session.copyLog()
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      look.outcome.faults = [.log(byte: 0, "\(reason)")]
      look.hasLogFault = true
      return look
    }
    var survey = CopySurvey(of: session.id)
    let end = survey.read(log)
    look.length = log.length
    look.end = end
    look.endsClosed = survey.endsClosed
    look.outcome.faults = survey.faults
    look.outcome.successors = survey.successors
    look.outcome.attachments = survey.attachments.objects.count
    if let end, survey.faults.isEmpty, end.damage != nil { try session.cutLog(end) }
    look.hasLogFault = !survey.faults.isEmpty
    // What cannot be read may name any of them.
    look.isDamaged = try session.copyDamagedRests() || look.hasLogFault
    if look.isDamaged { try copyAllFiles() }
    neededContents = []
    neededUploads = []
    for object in survey.attachments.objects.values.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
      if let fault = try copyFiles(of: object, survey.attachments.upload(object.id)) {
        look.outcome.faults.append(fault)
      }
    }
    return look
  }

  private mutating func copyAllFiles() throws(CopyError) {
    for file in try session.files() {
      switch file.place {
      case .attachments: _ = try content(file.name)
      case .uploads: if let name = UUID(uuidString: file.name) { _ = try upload(name, atMost: nil) }
      }
    }
  }

  /// Copies what there is of an attachment.
  ///
  /// - Returns: what is wrong with it; nil when nothing is.
  private mutating func copyFiles(
    of object: AttachmentObject, _ facts: UploadFacts?
  ) throws(CopyError) -> SessionCheck.Fault? {
    switch (object.state, facts?.content) {
    case (.ready, _):
      return try copyContent(of: object, object.sha256 ?? "", size: object.size ?? 0, file: nil)
    case (.uploading, let content?):
      return try copyContent(of: object, content.digest, size: content.size, file: facts?.file)
    case (.uploading, nil):
      let arrived = try facts.map { (said) throws(CopyError) in try upload(said.file, atMost: object.size) }
      let count = (arrived ?? nil) ?? 0
      guard count < object.offset else { return nil }
      return .file(
        "uploads/\(facts?.file.uuidString ?? "?")",
        "attachment \(object.id) had \(object.offset) bytes, and \(count) are there")
    }
  }

  /// Copies a content that has its own name or, when it may not have that yet, its upload's.
  private mutating func copyContent(
    of object: AttachmentObject, _ digest: String, size: UInt64, file: UUID?
  ) throws(CopyError) -> SessionCheck.Fault? {
    let name = "attachments/\(digest)"
    if let length = try content(digest) {
      guard length != size else { return nil }
      return .file(name, "attachment \(object.id) has \(size) bytes, and the file \(length)")
    }
    if let file, try upload(file, atMost: nil) == size { return nil }
    let reason = unreadable[digest].map { "\($0)" } ?? "it is not there"
    return .file(name, "attachment \(object.id) needs it, and \(reason)")
  }

  /// Copies a content, once.
  private mutating func content(_ digest: String) throws(CopyError) -> UInt64? {
    neededContents.insert(digest)
    if let length = contents[digest] { return length }
    do throws(CopyError) {
      contents[digest] = try session.copyContent(digest)
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      unreadable[digest] = reason
      try session.discardContent(digest)
    }
    return contents[digest]
  }

  /// Copies what has arrived of an upload, which may be more each time.
  private mutating func upload(_ file: UUID, atMost limit: UInt64?) throws(CopyError) -> UInt64? {
    neededUploads.insert(file)
    do throws(CopyError) {
      let length = try session.copyUpload(file, atMost: limit)
      uploads[file] = length
      return length
    } catch {
      guard error.isOfSource else { throw error }
      return nil
    }
  }
}
