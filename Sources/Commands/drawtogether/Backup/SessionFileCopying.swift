internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Copies the files that belong to a session's log: those that are there before the log is copied, and then those that it names.
struct SessionFileCopying {
  /// How many files are held open at once, of the 1,024 that a process may have as a rule.
  private static let mostHeld = 256

  private let session: SessionCopy
  /// The lengths of contents that were copied: they stay what they are.
  private var contents: [String: UInt64] = [:]
  /// What was there just before the log was copied, and is not copied itself.
  private var held: [String: HeldFile] = [:]
  /// Why contents could not be copied that are there.
  private var unreadable: [String: StorageError] = [:]
  /// The uploads that were copied, with their lengths, and what the last log named.
  private var uploads: [UUID: UInt64] = [:]
  private var neededContents: Set<String> = []
  private var neededUploads: Set<UUID> = []

  /// The files of a session, none of them copied.
  init(_ session: SessionCopy) {
    self.session = session
  }

  /// Of all that was copied.
  var bytes: UInt64 { contents.values.reduce(0, +) + uploads.values.reduce(0, +) }

  /// Copies the contents that there are, which stay what they are, and holds what has come by then.
  mutating func copyAhead() throws(CopyError) {
    held = [:]
    do throws(CopyError) {
      for file in try session.files() where file.place == .attachments { _ = try content(file.name) }
      for file in try session.files() where held.count < Self.mostHeld {
        guard file.place == .uploads || contents[file.name] == nil else { continue }
        held[file.name] = try session.hold(file)
      }
    } catch {
      // What cannot be opened now is looked for by its name, if the log has it.
      guard case .source = error else { throw error }
      if !error.isOfSource { held = [:] }
    }
  }

  /// Begins with a log anew: nothing is named yet.
  mutating func beginLog() {
    neededContents = []
    neededUploads = []
  }

  /// Lets go of what was held for a log.
  mutating func endLog() {
    held = [:]
  }

  /// Copies all there is, whether the log names it or not.
  mutating func copyAll() throws(CopyError) {
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
  mutating func copyFiles(
    of object: AttachmentObject, _ facts: UploadRecord?
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

  /// Removes from the copy what the last log does not name.
  mutating func discardUnneeded() throws(CopyError) {
    for digest in contents.keys where !neededContents.contains(digest) {
      try session.discardContent(digest)
      contents[digest] = nil
    }
    for file in uploads.keys where !neededUploads.contains(file) {
      try session.discardUpload(file)
      uploads[file] = nil
    }
  }

  /// Copies a content that has its own name or, when it may not have that yet, its upload's.
  private mutating func copyContent(
    of object: AttachmentObject, _ digest: String, size: UInt64, file: UUID?
  ) throws(CopyError) -> SessionCheck.Fault? {
    let name = "attachments/\(digest)"
    neededContents.insert(digest)
    var length = try content(digest)
    if length == nil, let file {
      if try upload(file, atMost: nil) == size { return nil }
      // It may have got its own name between the two.
      length = try content(digest)
    }
    if let length {
      guard length != size else { return nil }
      return .file(name, "attachment \(object.id) has \(size) bytes, and the file \(length)")
    }
    let reason = unreadable[digest].map { "\($0)" } ?? "it is not there"
    return .file(name, "attachment \(object.id) needs it, and \(reason)")
  }

  /// Copies a content, once.
  private mutating func content(_ digest: String) throws(CopyError) -> UInt64? {
    if let length = contents[digest] { return length }
    do throws(CopyError) {
      contents[digest] = try session.copyContent(digest, orElse: held[digest])
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
      let length = try session.copyUpload(file, orElse: held[file.uuidString], atMost: limit)
      uploads[file] = length
      return length
    } catch {
      guard error.isOfSource else { throw error }
      return nil
    }
  }
}
