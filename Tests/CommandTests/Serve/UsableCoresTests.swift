import Testing

@testable import drawtogether

/// The default number of reactors.
@Suite("The default number of reactors is the number of usable cores")
struct UsableCoresTests {
  struct Machine: CustomTestStringConvertible {
    let testDescription: String
    let groups: String
    let files: [String: String]
    /// The usable cores of a machine with eight cores.
    let usable: Int

    init(_ description: String, _ groups: String, _ files: [String: String], usable: Int) {
      testDescription = description
      self.groups = groups
      self.files = files
      self.usable = usable
    }
  }

  private static let root = "/sys/fs/cgroup"

  @Test(
    "The CPU quota of a control group, rounded up to whole cores, limits the number of usable cores",
    arguments: [
      Machine("no control groups", "", [:], usable: 8),
      Machine("no quota", "0::/\n", ["\(root)/cpu.max": "max 100000\n"], usable: 8),
      Machine("quota of half a core", "0::/\n", ["\(root)/cpu.max": "50000 100000\n"], usable: 1),
      Machine("quota of 2.5 cores", "0::/\n", ["\(root)/cpu.max": "250000 100000\n"], usable: 3),
      Machine("quota of 2 cores, long period", "0::/\n", ["\(root)/cpu.max": "1000000 500000\n"], usable: 2),
      Machine("quota above 8 cores", "0::/\n", ["\(root)/cpu.max": "6400000 100000\n"], usable: 8),
      Machine(
        "quota of the process's own group", "0::/system.slice/draw.service\n",
        [
          "\(root)/system.slice/cpu.max": "max 100000\n",
          "\(root)/system.slice/draw.service/cpu.max": "300000 100000\n",
        ], usable: 3),
      Machine(
        "quota of the parent group", "0::/kubepods/pod1/main\n",
        [
          "\(root)/kubepods/pod1/cpu.max": "200000 100000\n",
          "\(root)/kubepods/pod1/main/cpu.max": "max 100000\n",
        ],
        usable: 2),
      Machine(
        "version 1 without a quota", "4:memory:/\n2:cpu,cpuacct:/\n0::/\n",
        ["\(root)/cpu/cpu.cfs_quota_us": "-1\n", "\(root)/cpu/cpu.cfs_period_us": "100000\n"], usable: 8),
      Machine(
        "version 1, with a path that does not exist inside the container", "2:cpu,cpuacct:/docker/0123\n",
        ["\(root)/cpu/cpu.cfs_quota_us": "150000\n", "\(root)/cpu/cpu.cfs_period_us": "100000\n"], usable: 2),
      Machine(
        "file in the folder of another controller", "5:cpuset:/\n",
        ["\(root)/cpuset/cpu.max": "50000 100000\n"],
        usable: 8),
      Machine("malformed files", "0::/\n::\nx\n", ["\(root)/cpu.max": "some\n"], usable: 8),
      Machine("quota of 0", "0::/\n", ["\(root)/cpu.max": "0 0\n"], usable: 8),
    ])
  func limits(_ machine: Machine) {
    #expect(UsableCores.count(allowed: 8, groups: machine.groups) { machine.files[$0] } == machine.usable)
  }

  @Test("At least one core is usable, even if the system reports none or an error", arguments: [-22, 0, 1])
  func atLeastOne(_ allowed: Int) {
    #expect(UsableCores.count(allowed: allowed, groups: "") { _ in nil } == 1)
  }
}
