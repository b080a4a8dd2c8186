internal import CLinux
internal import Glibc
package import Platform

/// The outcome of an attempt to send a part of an attachment's content.
package enum SendOutcome: Equatable, Sendable {
  /// The kernel accepted this number of bytes: at least one, unless `count` was 0.
  case sent(Int)
  /// The send buffer of the socket is full.
  case wouldBlock
  /// The connection is broken.
  case failed(SystemError)
  /// The content cannot be read, or has become shorter.
  case unreadable(StorageError)
}

extension ContentMark {
  /// Creates a `ContentMark` from the attributes of a file: its inode, its length, and the time of its last write.
  ///
  /// - Throws: `StorageError`; EINVAL if the file is not a regular file.
  init(_ found: clinux_file_information) throws(StorageError) {
    guard found.is_regular != 0 else { throw StorageError(.openContent, code: EINVAL) }
    self.init(identity: found.inode, version: found.modified, length: UInt64(found.length))
  }
}

/// The content of an attachment in an open file.
package final class ContentFile: StoredContent {
  package let mark: ContentMark
  private let descriptor: OwnedDescriptor

  /// The length in bytes.
  package var length: UInt64 { mark.length }

  /// Takes ownership of an open file. Throws EINVAL if the file is not a regular file.
  init(opening descriptor: consuming OwnedDescriptor) throws(StorageError) {
    var found = clinux_file_information()
    try StorageError.check(.openContent, unsafe clinux_information(descriptor.rawValue, &found))
    mark = try ContentMark(found)
    // This is a hint to read ahead. The call may fail, because reading also works without the hint.
    _ = clinux_file_expect_sequential(descriptor.rawValue)
    self.descriptor = descriptor
  }

  package func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    var read: Int64 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
      read = unsafe clinux_file_read(
        descriptor.rawValue, room.baseAddress, count, Int64(clamping: offset))
      initialized = max(0, Int(read))
    }
    guard read == count else {
      throw StorageError(.readContent, code: read < 0 ? CInt(clamping: -read) : ENODATA)
    }
    return bytes
  }

  /// Sends at most `count` bytes from an offset to a non-blocking socket, without a copy (`sendfile`).
  ///
  /// The call may read from the disk, so it must run on the thread of a `BlockingExecutor`. That thread also blocks the
  /// signal SIGPIPE, which the kernel sends to it if the socket is closed.
  package func send(to socket: CInt, at offset: UInt64, count: Int) -> SendOutcome {
    let sent = clinux_file_send(socket, descriptor.rawValue, Int64(clamping: offset), count)
    switch sent {
    case 0 where count > 0: return .unreadable(StorageError(.readContent, code: ENODATA))
    case 0...: return .sent(Int(sent))
    case -Int64(EAGAIN): return .wouldBlock
    case -Int64(EIO): return .unreadable(StorageError(.readContent, code: EIO))
    default: return .failed(SystemError("sendfile", code: CInt(clamping: -sent)))
    }
  }
}
