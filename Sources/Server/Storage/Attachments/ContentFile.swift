internal import CLinux
internal import Glibc
package import Platform

/// What came of an attempt to send a part of a file.
package enum SendOutcome: Equatable, Sendable {
  /// So many bytes, at least one unless none were asked for, went to the kernel.
  case sent(Int)
  /// There is no room in the socket.
  case wouldBlock
  /// The connection is broken.
  case failed(SystemError)
  /// The file cannot be read, or is shorter than it was.
  case unreadable(StorageError)
}

/// The identity of a content's file. It differs for another file under the same name, and for a file that was written to.
package struct ContentMark: Hashable, Sendable {
  private let inode: UInt64
  /// In nanoseconds since 1970.
  private let modified: Int64
  /// In bytes.
  package let length: UInt64

  /// Creates the mark from the attributes of a file; throws EINVAL if it is no regular file.
  init(_ found: clinux_file_information) throws(StorageError) {
    guard found.is_regular != 0 else { throw StorageError(.openContent, code: EINVAL) }
    inode = found.inode
    modified = found.modified
    length = UInt64(found.length)
  }
}

/// An open content. Its bytes do not change, and can be read even after the content was removed.
package final class ContentFile: Sendable {
  /// The file's mark when it was opened.
  package let mark: ContentMark
  private let descriptor: OwnedDescriptor

  /// In bytes.
  package var length: UInt64 { mark.length }

  /// Takes over an open file. Throws EINVAL when it is no regular one.
  init(opening descriptor: consuming OwnedDescriptor) throws(StorageError) {
    var found = clinux_file_information()
    try StorageError.check(.openContent, unsafe clinux_information(descriptor.rawValue, &found))
    mark = try ContentMark(found)
    // A hint: who refuses it reads ahead less.
    _ = clinux_file_expect_sequential(descriptor.rawValue)
    self.descriptor = descriptor
  }

  /// The `count` bytes from `offset` on. The file has to have them: ENODATA.
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

  /// Hands at most `count` bytes from `offset` on to a socket that does not block, without a copy (`sendfile`).
  ///
  /// The file is read from the disk if need be, so this belongs on a file's thread, which a `BlockingExecutor` also
  /// keeps from the SIGPIPE of a closed socket.
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
