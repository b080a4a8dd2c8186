import Gateway
import Testing
import Wire

@testable import drawtogether

/// The division of the available memory into shares, one for each purpose.
@Suite("MemoryBudget divides the available memory into shares, and derives limits from them")
struct MemoryBudgetTests {
  private func budget(
    _ mebibytes: Int, _ arguments: String..., https: Bool = true
  ) throws -> (MemoryBudget, GatewayConfiguration) {
    let invocation = try ArgumentParser.parse(
      arguments: arguments + (https ? [] : ["--https", "off"]), environment: [:], cores: 2)
    guard case .serve(let configuration, let origins) = invocation else {
      throw UnexpectedInvocation()
    }
    return (try MemoryBudget(of: mebibytes << 20, for: configuration, origins), configuration)
  }

  private struct UnexpectedInvocation: Error {}

  @Test(
    "The sum of the memory shares is at most the total, and no computed limit exceeds its default",
    arguments: [128, 192, 384, 768, 1_536, 3_072, 6_144, 18_432], [true, false])
  func fits(mebibytes: Int, https: Bool) throws {
    let (budget, asked) = try budget(mebibytes, https: https)
    #expect(budget.shares.reduce(0) { $0 + $1.bytes } <= budget.total)
    #expect(budget.unused >= 0 && budget.total == mebibytes << 20)
    for limit in Limits.all {
      #expect(budget.limits[keyPath: limit.keyPath] <= asked.limits[keyPath: limit.keyPath])
      #expect(limit.range.contains(budget.limits[keyPath: limit.keyPath]))
    }
    #expect(budget.limits.sessionLogBytes <= budget.limits.memoryBytes)
    #expect(budget.limits.unsavedSessionBytes <= budget.limits.unsavedBytes)
    if mebibytes >= 6_144 { #expect(budget.limits == asked.limits) }
  }

  @Test("More memory never lowers a limit")
  func grows() throws {
    var before = try budget(112).0.limits
    for mebibytes in stride(from: 128, through: 6_144, by: 16) {
      let limits = try budget(mebibytes).0.limits
      for limit in Limits.all {
        #expect(
          limits[keyPath: limit.keyPath] >= before[keyPath: limit.keyPath], "\(limit.name) of \(mebibytes)")
      }
      before = limits
    }
  }

  @Test("If memory is scarce, limits that the operator set keep their values, and other limits are lowered")
  func given() throws {
    let (budget, _) = try budget(
      384, "--max-connections", "5000", "--max-session-log-bytes", "60M", "--max-incomplete-bytes", "10M")
    #expect(budget.limits.connections == 5_000 && budget.limits.sessionLogBytes == 60 << 20)
    #expect(budget.limits.incompleteBytes == 10 << 20 && budget.limits.memoryBytes >= 60 << 20)
    #expect(budget.unused >= 0)
  }

  @Test(
    "Limits that do not fit into the memory are rejected, and the error contains the memory that each limit needs",
    arguments: [
      (
        ["--max-memory-bytes", "512M", "--max-connections", "1000"],
        "--memory is 384M, but the limits may need 1G: --max-memory-bytes 512M may need 960M, --max-connections 1000 may"
          + " need 23M, the program needs 64M, all other parts need at least 12M. Raise --memory or lower the"
          + " limits."
      ),
      (
        ["--max-session-log-bytes", "1G", "--max-memory-bytes", "1G"],
        "--memory is 384M, but the limits may need 2G: --max-memory-bytes 1G may need 1.9G, the program needs 64M,"
          + " all other parts need at least 13M. Raise --memory or lower the limits."
      ),
    ])
  func refused(arguments: [String], says: String) throws {
    let invocation = try ArgumentParser.parse(arguments: arguments, environment: [:], cores: 2)
    guard case .serve(let configuration, let origins) = invocation else { throw UnexpectedInvocation() }
    let fault = #expect(throws: CommandError.self) {
      try MemoryBudget(of: 384 << 20, for: configuration, origins)
    }
    #expect(fault?.description == says)
    #expect(throws: Never.self) { try MemoryBudget(of: 8 << 30, for: configuration, origins) }
  }

  @Test(
    "The limits that a memory budget computes still fit into the same memory when the operator sets them as flags"
  )
  func again() throws {
    for mebibytes in [128, 384, 768, 3_000] {
      let (first, _) = try budget(mebibytes)
      let arguments = first.shares.compactMap { share in
        share.limit.map { "\($0.flag)=\(Setting.describe($0, in: first.limits))" }
      }
      let invocation = try ArgumentParser.parse(
        arguments: arguments + ["--max-session-log-bytes=\(first.limits.sessionLogBytes)"], environment: [:],
        cores: 2)
      guard case .serve(let configuration, let origins) = invocation else { throw UnexpectedInvocation() }
      #expect(try MemoryBudget(of: first.total, for: configuration, origins).limits == first.limits)
    }
  }
}
