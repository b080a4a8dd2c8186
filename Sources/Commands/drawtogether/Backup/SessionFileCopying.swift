internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Copies the files of a session. Before the log is copied, `copyAhead` copies or opens the existing files. Afterwards,
/// `copyFiles` copies the files that the log refers to.
struct SessionFileCopying {
  /// The maximum number of files that are pinned open; the usual limit of a process is 1,024 descriptors.
  private static let maximumPinned = 256

  private let session: SessionCopy
  /// The lengths of the copied attachment contents, by digest. A content never changes after it was stored.
  private var contents: [String: UInt64] = [:]
  /// The files that existed just before the log was copied, and are not copied yet.
  private var pinned: [String: PinnedFile] = [:]
  /// The errors of contents that exist but could not be copied.
  private var unreadable: [String: StorageError] = [:]
  /// The lengths of copied uploads, and the files that the last copy of the log refers to.
  private var uploads: [UUID: UInt64] = [:]
  private var neededContents: Set<String> = []
  private var neededUploads: Set<UUID> = []

  /// Creates a value that copies the files of a session.
  init(_ session: SessionCopy) {
    self.session = session
  }

  /// The total size of all copied files in bytes.
  var bytes: UInt64 { contents.values.reduce(0, +) + uploads.values.reduce(0, +) }

  /// Copies the existing contents of attachments; these files never change. Opens the files of uploads and of newer contents, so
  /// that they can be copied even if the gateway removes them.
  mutating func copyAhead() throws(CopyError) {
    pinned = [:]
    do throws(CopyError) {
      for file in try session.files() where file.place == .attachments { _ = try content(file.name) }
      for file in try session.files() where pinned.count < Self.maximumPinned {
        guard file.place == .uploads || contents[file.name] == nil else { continue }
        pinned[file.name] = try session.pin(file)
      }
    } catch {
      // A file that cannot be opened now is opened later, if the log refers to it.
      guard case .source = error else { throw error }
      if !error.isOfSource { pinned = [:] }
    }
  }

  /// Forgets which files the previous copy of the log needs, before a new copy of the log is examined.
  mutating func beginLog() {
    neededContents = []
    neededUploads = []
  }

  /// Closes the pinned files.
  mutating func endLog() {
    pinned = [:]
  }

  /// Copies all files, including those that the log does not refer to.
  mutating func copyAll() throws(CopyError) {
    for file in try session.files() {
      switch file.place {
      case .attachments: _ = try content(file.name)
      case .uploads: if let name = UUID(uuidString: file.name) { _ = try upload(name, atMost: nil) }
      }
    }
  }

  /// Copies the files of an attachment.
  ///
  /// - Returns: the fault of the attachment; nil if its files are copied.
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
        "the log says that \(object.offset) bytes of attachment \(object.id) were received, but the file has \(count) bytes"
      )
    }
  }

  /// Removes copied files that the last copy of the log does not refer to.
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

  /// Copies the content of an attachment, a file that is named after its digest. If `file` is not nil, the file may still have
  /// the name of its upload, so that name is tried too.
  private mutating func copyContent(
    of object: AttachmentObject, _ digest: String, size: UInt64, file: UUID?
  ) throws(CopyError) -> SessionCheck.Fault? {
    let name = "attachments/\(digest)"
    neededContents.insert(digest)
    var length = try content(digest)
    if length == nil, let file {
      if try upload(file, atMost: nil) == size { return nil }
      // After the first call of `content`, the gateway may have renamed the upload's file to the digest, so `content` is called
      // again.
      length = try content(digest)
    }
    if let length {
      guard length != size else { return nil }
      return .file(name, "attachment \(object.id) has \(size) bytes, but the file has \(length) bytes")
    }
    let reason = unreadable[digest].map { "cannot be read (\($0))" } ?? "is missing"
    return .file(name, "attachment \(object.id) needs this file, which \(reason)")
  }

  /// Copies the content of an attachment, unless it is copied already.
  private mutating func content(_ digest: String) throws(CopyError) -> UInt64? {
    if let length = contents[digest] { return length }
    do throws(CopyError) {
      contents[digest] = try session.copyContent(digest, orElse: pinned[digest])
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      unreadable[digest] = reason
      try session.discardContent(digest)
    }
    return contents[digest]
  }

  /// Copies the received bytes of an upload. A later attempt may copy more bytes, because the upload may continue meanwhile.
  private mutating func upload(_ file: UUID, atMost limit: UInt64?) throws(CopyError) -> UInt64? {
    neededUploads.insert(file)
    do throws(CopyError) {
      let length = try session.copyUpload(file, orElse: pinned[file.uuidString], atMost: limit)
      uploads[file] = length
      return length
    } catch {
      guard error.isOfSource else { throw error }
      return nil
    }
  }
}
