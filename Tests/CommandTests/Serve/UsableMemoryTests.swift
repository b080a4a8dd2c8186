import Testing

@testable import drawtogether

/// The available memory of the process.
@Suite("The usable memory is computed from the machine's memory and the limits of control groups")
struct UsableMemoryTests {
  private static let root = "/sys/fs/cgroup"

  @Test(
    "The usable memory is the lower of the machine's memory and the lowest limit of a control group",
    arguments: [
      ("", [:], 8_000), ("0::/\n", ["\(root)/memory.max": "max\n"], 8_000),
      ("0::/\n", ["\(root)/memory.max": "512\n"], 512), ("0::/\n", ["\(root)/memory.max": "9000\n"], 8_000),
      ("0::/pod/main\n", ["\(root)/pod/memory.max": "700\n", "\(root)/pod/main/memory.max": "max\n"], 700),
      ("4:memory:/docker/1\n", ["\(root)/memory/memory.limit_in_bytes": "600\n"], 600),
      ("4:memory:/\n", ["\(root)/memory/memory.limit_in_bytes": "9223372036854771712\n"], 8_000),
      ("5:cpuset:/\n", ["\(root)/cpuset/memory.max": "1\n"], 8_000),
      ("x\n", ["\(root)/memory.max": "1\n"], 8_000),
      ("0::/\n", ["\(root)/memory.max": "some\n"], 8_000),
    ] as [(String, [String: String], Int)])
  func limits(_ groups: String, _ files: [String: String], _ bytes: Int) {
    #expect(UsableMemory.bytes(machine: 8_000, groups: groups) { files[$0] } == bytes)
  }

  @Test("The usable memory is unknown if neither the machine nor a control group reports it")
  func unknown() {
    #expect(UsableMemory.bytes(machine: nil, groups: "") { _ in nil } == nil)
    #expect((UsableMemory.ofThisProcess() ?? 0) > 1 << 20)
  }
}
