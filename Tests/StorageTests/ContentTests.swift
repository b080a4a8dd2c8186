import FoundationEssentials
import Glibc
import Storage
import Testing
import Platform
import Wire
import TestSupport

@Suite("A finished upload is stored as content, which can be read, shared and removed")
struct ContentTests {
  private let one: OneSession

  init() throws {
    one = try OneSession()
  }

  private var contents: [String]? { one.temporary.names(in: "\(one.folder)/attachments") }

  @Test("A finished upload becomes the content of an attachment", arguments: [false, true])
  func places(syncs: Bool) throws {
    #expect(try one.place("abc", syncs: syncs) == Digests.abc)
    #expect(contents == [Digests.abc])
    #expect(one.temporary.names(in: "\(one.folder)/uploads") == [])
    let file = try one.attachments.openContent(Digests.abc)
    #expect(file.length == 3)
    #expect(try file.whole() == Array("abc".utf8))
  }

  @Test(
    "Content that is uploaded twice is stored once; files that were opened before the second upload can still be read"
  )
  func duplicates() throws {
    _ = try one.place("abc")
    let file = try one.attachments.openContent(Digests.abc)
    _ = try one.place("abc")
    #expect(contents == [Digests.abc])
    #expect(try file.whole() == Array("abc".utf8))
  }

  @Test("Removed content can be read only by readers that opened the content before its removal")
  func removes() throws {
    _ = try one.place("abc")
    let file = try one.attachments.openContent(Digests.abc)
    try one.attachments.removeContent(Digests.abc)
    try one.attachments.removeContent(Digests.abc)
    #expect(contents == [])
    #expect(throws: StorageError(.openContent, code: ENOENT)) {
      try one.attachments.openContent(Digests.abc)
    }
    #expect(try file.whole() == Array("abc".utf8))
  }

  @Test("A session is removed with all its files. Removing a missing session or file succeeds")
  func removesSession() throws {
    _ = try one.place("abc")
    let upload = try one.attachments.createUpload(UUID())
    try one.attachments.removeSession()
    #expect(one.temporary.names(in: "data/sessions") == [])
    try one.attachments.removeSession()
    try one.attachments.removeContent(Digests.abc)
    try one.attachments.discardUpload(UUID())
    #expect(throws: StorageError(.createUpload, code: ENOENT)) {
      try one.attachments.createUpload(UUID())
    }
    let bytes = Array("abc".utf8)
    try upload.append(bytes.span)
  }

  @Test(
    "Only a digest is a valid name for content",
    arguments: [
      "", "..", "../lock", "abc", Digests.abc.uppercased(), Digests.abc + "0", String(Digests.abc.dropLast()),
      String(Digests.abc.dropLast()) + "/", String(Digests.abc.dropLast()) + "\u{0}",
      String(Digests.abc.dropLast(2)) + "é",
    ])
  func names(digest: String) throws {
    _ = try one.place("abc")
    #expect(throws: StorageError(.openContent, code: EINVAL)) { try one.attachments.openContent(digest) }
    #expect(throws: StorageError(.removeContent, code: EINVAL)) {
      try one.attachments.removeContent(digest)
    }
    #expect(throws: StorageError(.placeContent, code: EINVAL)) {
      try one.attachments.place(UUID(), as: digest, syncs: false)
    }
    #expect(contents == [Digests.abc])
  }

  @Test("Reading a range of a file returns the whole range or throws an error")
  func readsParts() throws {
    let file = try one.attachments.openContent(try one.place("0123456789"))
    #expect(try file.read(at: 3, count: 4) == Array("3456".utf8))
    #expect(try file.read(at: 10, count: 0) == [])
    for (offset, count) in [(7, 4), (10, 1), (UInt64.max, 1)] as [(UInt64, Int)] {
      #expect(throws: StorageError.self) { try file.read(at: offset, count: count) }
    }
  }

  @Test("Reading a file that was truncated after it was opened throws an error instead of returning zeros")
  func cutShort() throws {
    let digest = try one.place("0123456789")
    let file = try one.attachments.openContent(digest)
    #expect(unsafe truncate("\(one.temporary.path)/\(one.folder)/attachments/\(digest)", 5) == 0)
    #expect(throws: StorageError(.readContent, code: ENODATA)) { try file.read(at: 0, count: 10) }
    let ends = try SocketPair()
    #expect(file.send(to: ends.sender, at: 0, count: 10) == .sent(5))
    #expect(
      file.send(to: ends.sender, at: 5, count: 5) == .unreadable(StorageError(.readContent, code: ENODATA)))
  }

  @Test("Sending a range stops when the socket is full, and continues after the peer has read bytes")
  func sends() throws {
    let text = String(repeating: "0123456789abcdef", count: 1 << 16)
    let file = try one.attachments.openContent(try one.place(text))
    let ends = try SocketPair()
    var (offset, received): (Int, [UInt8]) = (16, [])
    var waits = 0
    while offset < text.utf8.count {
      switch file.send(to: ends.sender, at: UInt64(offset), count: text.utf8.count - offset) {
      case .sent(let count):
        #expect(count > 0)
        offset += count
      case .wouldBlock:
        waits += 1
        received += ends.receive()
      case .failed(let error):
        Issue.record("the socket failed: \(error)")
        return
      case .unreadable(let error):
        Issue.record("the file failed: \(error)")
        return
      }
    }
    ends.closeSender()
    while case let piece = ends.receive(), !piece.isEmpty { received += piece }
    #expect(waits > 0)
    #expect(received == Array(text.utf8.dropFirst(16)))
  }

  @Test("Sending to a closed peer on a file thread returns an error and raises no signal")
  func closedPeer() async throws {
    let file = try one.attachments.openContent(try one.place("abc"))
    let ends = try SocketPair()
    ends.closeReceiver()
    let executor = try BlockingExecutor(name: "test-files")
    let outcome = await FileThread(executor: executor).send(file, to: ends.sender)
    #expect(outcome == .failed(SystemError("sendfile", code: EPIPE)))
    executor.stop()
    executor.join()
  }
}

/// A pair of connected sockets that do not block.
private final class SocketPair {
  private(set) var sender: CInt
  private var receiver: CInt

  init() throws {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
    (sender, receiver) = (ends[0], ends[1])
  }

  deinit {
    closeSender()
    closeReceiver()
  }

  func closeSender() {
    if sender >= 0 { close(sender) }
    sender = -1
  }

  func closeReceiver() {
    if receiver >= 0 { close(receiver) }
    receiver = -1
  }

  /// Returns the received bytes; an empty array at the end of the stream.
  func receive() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = unsafe recv(receiver, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }
}
