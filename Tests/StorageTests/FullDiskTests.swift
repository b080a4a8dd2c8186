import FoundationEssentials
import Glibc
import Storage
import Testing
import Platform
import Wire
import TestSupport

@Suite("If the disk is full, an append fails without a signal, and the file keeps its content")
struct FullDiskTests {
  /// The file size limit of the process (RLIMIT_FSIZE) in bytes. It is larger than any file that another test of this process
  /// writes.
  private static let limit: UInt64 = 256 << 20

  @Test(
    "An append that does not fit raises no signal, and does not change the file, its offset or its digest")
  func limit() async throws {
    let executor = try BlockingExecutor(name: "test-files")
    try await FileThread(executor: executor).run {
      let one = try OneSession()
      let (id, room) = (UUID(), 100_000)
      let path = "\(one.temporary.path)/\(one.folder)/uploads/\(id.uuidString)"
      _ = try one.attachments.createUpload(id)
      // The file is sparse, so it needs no space on the disk and is read fast.
      #expect(unsafe truncate(path, Int(Self.limit) - room) == 0)
      var before = rlimit()
      #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) == 0)
      var limited = before
      limited.rlim_cur = rlim_t(Self.limit)
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited) == 0)
      defer { _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) }

      let upload = try one.attachments.openUpload(id)
      let (tooMuch, fitting) = ([UInt8](repeating: 1, count: room + 1), [UInt8](repeating: 2, count: room))
      #expect(throws: StorageError(.writeUpload, code: EFBIG)) { try upload.append(tooMuch.span) }
      #expect(upload.offset == Self.limit - UInt64(room))
      var information = stat()
      #expect(unsafe stat(path, &information) == 0)
      #expect(information.st_size == Int(Self.limit) - room)
      try upload.append(fitting.span)
      let digest = RunningDigest(.sha256)
      let zeros = [UInt8](repeating: 0, count: 1 << 20)
      for _ in 0..<((Int(Self.limit) - room) / zeros.count) { digest.update(zeros.span) }
      digest.update(zeros.span.extracting(first: (Int(Self.limit) - room) % zeros.count))
      digest.update(fitting.span)
      #expect(try upload.finish(syncs: false) == SHA256Digest(finishing: digest).description)
    }
    executor.stop()
    executor.join()
  }
}
