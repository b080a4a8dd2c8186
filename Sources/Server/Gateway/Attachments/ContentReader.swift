internal import Glibc
internal import Storage
internal import Networking
internal import Platform

/// The actor that reads the content of an attachment, or a part of a history, for one download. It runs on a file thread.
actor ContentReader {
  private let executor: BlockingExecutor
  /// Opens the content.
  private let source: @Sendable () throws(StorageError) -> any StoredContent
  private var opened: (any StoredContent)?
  /// A duplicate of the connection's socket descriptor. It is needed because the reactor may close its own descriptor while
  /// `send` runs on the file thread.
  private let descriptor: OwnedDescriptor?
  private let socket: Socket?

  /// The maximum number of bytes that `send` reads at a time if the content is not in a file.
  private static let pieceBytes = 131_072

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates a reader. The content is not opened before `open` is called.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - attachments: the store of the content.
  ///   - socket: the descriptor that `send` sends to, closed when this reader is released; nil if `send` is not used.
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
    source = { () throws(StorageError) in try attachments.openContent(content.digest, of: content.session) }
    self.executor = executor
  }

  /// Creates a reader of content that is open already.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - socket: the descriptor that `send` sends to, closed when this reader is released; nil if `send` is not used.
  ///   - executor: the executor that this reader runs on.
  init(
    reading content: any StoredContent, sendingTo socket: consuming OwnedDescriptor?,
    on executor: BlockingExecutor
  ) {
    if let socket {
      self.socket = Socket(socket.rawValue)
      descriptor = consume socket
    } else {
      self.socket = nil
      descriptor = nil
    }
    source = { () throws(StorageError) in content }
    opened = content
    self.executor = executor
  }

  /// Opens the content. Afterwards, the reader can read the whole content, even if the content is removed from the store
  /// meanwhile.
  ///
  /// - Returns: the `ContentMark` of the opened file.
  func open() throws(StorageError) -> ContentMark {
    let opened = try source()
    self.opened = opened
    return opened.mark
  }

  /// Returns `count` bytes from an offset.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard let opened else { throw StorageError(.readContent, code: EBADF) }
    return try opened.read(at: offset, count: count)
  }

  /// Sends as many of `count` bytes as the socket accepts. A file is sent with `sendfile`, so its bytes are not copied to this
  /// process. If the content is not in a file, it is sent in pieces of at most `pieceBytes` bytes until the socket accepts no more.
  /// If fewer than `count` bytes were sent, the caller waits until the socket is writable.
  func send(at offset: UInt64, count: Int) -> SendOutcome {
    guard let opened, let socket else {
      return .unreadable(StorageError(.readContent, code: EBADF))
    }
    if let file = opened as? ContentFile {
      return file.send(to: socket.descriptor, at: offset, count: count)
    }
    var total = 0
    while total < count {
      let piece: [UInt8]
      do throws(StorageError) {
        piece = try opened.read(at: offset + UInt64(total), count: min(count - total, Self.pieceBytes))
      } catch {
        return .unreadable(error)
      }
      switch socket.send(piece.span) {
      case .sent(let sent):
        total += sent
        if sent < piece.count { return .sent(total) }
      case .wouldBlock: return total > 0 ? .sent(total) : .wouldBlock
      case .failed(let error): return .failed(error)
      }
    }
    return .sent(total)
  }
}
