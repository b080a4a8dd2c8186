internal import Glibc
internal import Storage
internal import Networking
internal import Platform

/// Reads one whole attachment for one download, on a file thread.
actor ContentReader {
  private let executor: BlockingExecutor
  private let folder: AttachmentFolder
  private let digest: String
  private var file: ContentFile?
  /// The socket, as a descriptor of its own: the reactor may close its in the middle.
  private let descriptor: OwnedDescriptor?
  /// Its number.
  private let socket: Socket?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - digest: of the content.
  ///   - folder: the session's.
  ///   - socket: what `send` sends to; closed with this reader.
  ///   - executor: the thread.
  init(
    _ digest: String, in folder: AttachmentFolder, sendingTo socket: consuming OwnedDescriptor?,
    on executor: BlockingExecutor
  ) {
    if let socket {
      self.socket = Socket(socket.rawValue)
      descriptor = consume socket
    } else {
      self.socket = nil
      descriptor = nil
    }
    self.digest = digest
    self.folder = folder
    self.executor = executor
  }

  /// Opens the file; from here on it can be read to its end, even when it is removed.
  /// - Returns: its mark.
  func open() throws(StorageError) -> ContentMark {
    let opened = try folder.openContent(digest)
    file = opened
    return opened.mark
  }

  /// Reads exactly so many bytes.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard let file else { throw StorageError(.readContent, code: EBADF) }
    return try file.read(at: offset, count: count)
  }

  /// Gives the kernel as much of the file as the socket has room for.
  func send(at offset: UInt64, count: Int) -> SendOutcome {
    guard let file, let socket else {
      return .unreadable(StorageError(.readContent, code: EBADF))
    }
    return file.send(to: socket.descriptor, at: offset, count: count)
  }
}
