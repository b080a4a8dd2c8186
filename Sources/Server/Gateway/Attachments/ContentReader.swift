internal import Glibc
internal import Storage
internal import Networking
internal import Platform

/// Reads the content of an attachment for one download, on a thread for files.
actor ContentReader {
  private let executor: BlockingExecutor
  private let attachments: any AttachmentStore
  private let content: ContentID
  private var opened: (any StoredContent)?
  /// A second descriptor of the connection's socket. It is needed because the reactor may close its own descriptor during a call
  /// of `send`.
  private let descriptor: OwnedDescriptor?
  private let socket: Socket?

  /// The bytes that `send` reads at a time if the content is not a file.
  private static let pieceBytes = 131_072

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates a reader; `open` opens the content.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - attachments: the store of the content.
  ///   - socket: the socket for `send`; closed when this reader is released.
  ///   - executor: the executor that this reader runs on.
  init(
    _ content: ContentID, in attachments: any AttachmentStore,
    sendingTo socket: consuming OwnedDescriptor?, on executor: BlockingExecutor
  ) {
    if let socket {
      self.socket = Socket(socket.rawValue)
      descriptor = consume socket
    } else {
      self.socket = nil
      descriptor = nil
    }
    self.content = content
    self.attachments = attachments
    self.executor = executor
  }

  /// Opens the content. The reader can then read it to the end, even if the content is removed.
  ///
  /// - Returns: the mark of the content.
  func open() throws(StorageError) -> ContentMark {
    let opened = try attachments.openContent(content.digest, of: content.session)
    self.opened = opened
    return opened.mark
  }

  /// Returns `count` bytes from an offset.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard let opened else { throw StorageError(.readContent, code: EBADF) }
    return try opened.read(at: offset, count: count)
  }

  /// Sends as many of `count` bytes as the socket accepts. A file is sent without a copy. If the content is not a file,
  /// at most one piece is sent.
  func send(at offset: UInt64, count: Int) -> SendOutcome {
    guard let opened, let socket else {
      return .unreadable(StorageError(.readContent, code: EBADF))
    }
    if let file = opened as? ContentFile {
      return file.send(to: socket.descriptor, at: offset, count: count)
    }
    do throws(StorageError) {
      let piece = try opened.read(at: offset, count: min(count, Self.pieceBytes))
      return switch socket.send(piece.span) {
      case .sent(let count): .sent(count)
      case .wouldBlock: .wouldBlock
      case .failed(let error): .failed(error)
      }
    } catch {
      return .unreadable(error)
    }
  }
}
