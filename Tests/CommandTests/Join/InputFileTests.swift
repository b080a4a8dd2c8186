import FoundationEssentials
import Glibc
import Testing
import TestSupport

@testable import drawtogether

/// Files are read completely or not at all.
@Suite("An input file is read completely or not at all")
struct InputFileTests {
  @Test("A file that exceeds the limit is rejected, even if the file does not report its size")
  func limits() throws {
    let folder = TemporaryFolder()
    let name = folder.path + "/a"
    try Data(repeating: 7, count: 100_000).write(to: URL(filePath: name))
    #expect(try InputFile.read(name, limit: 100_000) == Data(repeating: 7, count: 100_000))
    let large = #expect(throws: CommandError.self) { try InputFile.read(name, limit: 99_999) }
    #expect(large?.description == "\(name) has 100000 bytes; the maximum is 99999")
    let endless = #expect(throws: CommandError.self) { try InputFile.read("/dev/zero", streamLimit: 100_000) }
    #expect(endless?.description == "/dev/zero has more than 100000 bytes, the maximum")
    let directory = #expect(throws: CommandError.self) { try InputFile.read(folder.path) }
    #expect(directory?.description.contains("cannot be read (read: Is a directory") == true)
    // A regular file above the maximum is rejected by its length, before it is read.
    let vast = unsafe open(name, O_WRONLY)
    #expect(ftruncate(vast, InputFile.maximumBytes + 1) == 0)
    close(vast)
    let refused = #expect(throws: CommandError.self) { try InputFile.read(name) }
    #expect(
      refused?.description == "\(name) has 2147483649 bytes; the maximum is 2147483648")
  }
}
