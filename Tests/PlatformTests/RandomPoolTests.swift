import Platform
import Testing

@Suite("Pool of random bytes")
struct RandomPoolTests {
  @Test(
    "A pool never returns the same random bytes twice, even after it has drawn new bytes",
    arguments: [1, 16, 40, RandomPool.capacity])
  func once(_ count: Int) {
    let pool = RandomPool()
    let taken = (0..<1_000).map { _ in pool.take(count) }
    #expect(taken.allSatisfy { $0.count == count })
    // Single bytes can be equal by chance, so only longer results are compared.
    if count > 8 {
      #expect(Set(taken).count == taken.count)
      let zeros = [UInt8](repeating: 0, count: 8)
      #expect(!taken.contains { Array($0.prefix(8)) == zeros }, "erased bytes are not returned")
    }
  }

  @Test("Taking 0 bytes returns an empty array")
  func none() {
    #expect(RandomPool().take(0).isEmpty)
  }
}
