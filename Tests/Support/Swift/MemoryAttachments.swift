package import FoundationEssentials
internal import Glibc
internal import Platform
package import Storage
package import Wire

/// Attachments in memory, for a store without files.
package final class MemoryAttachments: AttachmentStore {
  /// The attachments of one session.
  fileprivate struct Session: Sendable {
    var uploads: [UUID: [UInt8]] = [:]
    var contents: [String: (bytes: [UInt8], mark: ContentMark)] = [:]
  }

  private let sessions: Guarded<[SessionID: Session]> = Guarded([:])
  private let lastIdentity = Guarded<UInt64>(0)

  /// Creates an empty store.
  package init() {}

  package func freeBytes() throws(StorageError) -> UInt64 { 1 << 40 }

  package func files(of session: SessionID) throws(StorageError) -> [StoredFile] {
    let found = sessions.withLock { $0[session] } ?? Session()
    let modified = Date(timeIntervalSince1970: 0)
    return found.uploads.map {
      StoredFile(
        place: .uploads, name: $0.key.uuidString, length: UInt64($0.value.count), modified: modified)
    }
      + found.contents.map {
        StoredFile(place: .attachments, name: $0.key, length: $0.value.mark.length, modified: modified)
      }
  }

  package func createUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload {
    set([], of: name, session)
    return MemoryUpload(name, session, in: self, [])
  }

  package func openUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload {
    guard let bytes = sessions.withLock({ $0[session]?.uploads[name] }) else {
      throw StorageError(.openUpload, code: ENOENT)
    }
    return MemoryUpload(name, session, in: self, bytes)
  }

  package func discardUpload(_ name: UUID, of session: SessionID) throws(StorageError) {
    sessions.withLock { $0[session]?.uploads[name] = nil }
  }

  package func place(
    _ upload: UUID, as digest: String, of session: SessionID
  ) throws(StorageError) -> ContentMark? {
    let identity = lastIdentity.withLock { last in
      last += 1
      return last
    }
    let mark: ContentMark? = sessions.withLock { sessions in
      guard let bytes = sessions[session]?.uploads.removeValue(forKey: upload) else { return nil }
      let mark = ContentMark(identity: identity, version: 0, length: UInt64(bytes.count))
      sessions[session]?.contents[digest] = (bytes, mark)
      return mark
    }
    guard let mark else { throw StorageError(.placeContent, code: ENOENT) }
    return mark
  }

  package func openContent(
    _ digest: String, of session: SessionID
  ) throws(StorageError) -> any StoredContent {
    guard let found = sessions.withLock({ $0[session]?.contents[digest] }) else {
      throw StorageError(.openContent, code: ENOENT)
    }
    return MemoryContent(found.bytes, found.mark)
  }

  package func removeContent(_ digest: String, of session: SessionID) throws(StorageError) {
    sessions.withLock { $0[session]?.contents[digest] = nil }
  }

  package func removeAll(of session: SessionID) throws(StorageError) {
    sessions.withLock { $0[session] = nil }
  }

  fileprivate func set(_ bytes: [UInt8], of upload: UUID, _ session: SessionID) {
    sessions.withLock { $0[session, default: Session()].uploads[upload] = bytes }
  }
}

private final class MemoryUpload: StoredUpload {
  private let name: UUID
  private let session: SessionID
  private let store: MemoryAttachments
  private var bytes: [UInt8]
  private var markedOffset: Int

  init(_ name: UUID, _ session: SessionID, in store: MemoryAttachments, _ bytes: [UInt8]) {
    self.name = name
    self.session = session
    self.store = store
    self.bytes = bytes
    markedOffset = bytes.count
  }

  var offset: UInt64 { UInt64(bytes.count) }

  func park() {}

  func resume() throws(StorageError) {}

  func append(_ added: Span<UInt8>) throws(StorageError) {
    bytes.append(added)
    store.set(bytes, of: name, session)
  }

  func mark() {
    markedOffset = bytes.count
  }

  func rollBack() throws(StorageError) {
    bytes.removeLast(bytes.count - markedOffset)
    store.set(bytes, of: name, session)
  }

  func sync() throws(StorageError) {}

  func finish() throws(StorageError) -> String {
    let received = bytes
    return SHA256Digest(of: received.span).description
  }
}

private final class MemoryContent: StoredContent {
  let mark: ContentMark
  private let bytes: [UInt8]

  init(_ bytes: [UInt8], _ mark: ContentMark) {
    self.bytes = bytes
    self.mark = mark
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard Int(offset) + count <= bytes.count else { throw StorageError(.readContent, code: ENODATA) }
    return Array(bytes[Int(offset)..<Int(offset) + count])
  }
}
