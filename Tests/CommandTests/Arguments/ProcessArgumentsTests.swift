import Testing

@testable import drawtogether

/// The parsing of the argument list that the kernel provides (`/proc/self/cmdline`).
@Suite("The arguments of the process are read from the kernel's list")
struct ProcessArgumentsTests {
  @Test(
    "The kernel's argument list is split after each zero byte, and empty arguments are kept",
    arguments: [
      ([], []), ([0x61, 0], ["a"]), ([0x61, 0, 0x2D, 0x62, 0], ["a", "-b"]),
      ([0x61, 0, 0, 0x62, 0], ["a", "", "b"]), ([0x61, 0, 0], ["a", ""]), ([0], [""]),
      ([0x61, 0, 0x62], ["a", "b"]),
    ] as [([UInt8], [String])])
  func list(_ bytes: [UInt8], _ arguments: [String]) {
    #expect(ProcessArguments.list(inCommandLine: bytes) == arguments)
  }
}
