import Testing
import Networking
import Primitives
import Wire

@testable import Gateway

@Suite("UploadTable assigns upload slots, and evicts slow uploads when no slot is free")
struct UploadTableTests {
  private static func time(_ seconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private static func table(uploads: Int) -> UploadTable {
    var limits = Limits()
    limits.uploads = uploads
    return UploadTable(limits: limits)
  }

  /// Requests a slot for a new upload. Returns the upload that is evicted to free a slot, if any, and the id of the new upload or
  /// the refusal.
  private static func ask(
    _ table: UploadTable, _ slot: Int = 99, from address: IPAddress? = nil, at now: MonotonicTime,
    canEnd: Bool = true
  ) -> (evicted: UploadTable.Eviction?, id: UploadTable.ID?, refusal: Refusal?) {
    var evicted: UploadTable.Eviction?
    let admission = table.admit(from: address, on: slot, now: now) {
      evicted = $0
      return canEnd
    }
    return switch admission {
    case .admitted(let id): (evicted, id, nil)
    case .refused(let refusal): (evicted, nil, refusal)
    }
  }

  /// Admits an upload whose body begins immediately.
  private static func begin(
    _ table: UploadTable, _ slot: Int, from address: IPAddress? = nil, at second: Int = 0
  ) throws -> UploadTable.ID {
    let asked = ask(table, slot, from: address, at: time(second))
    #expect(asked.evicted == nil)
    let id = try #require(asked.id)
    table.resumeRate(of: id, at: time(second))
    return id
  }

  @Test(
    "An address or IPv6 network may use at most a quarter of the upload slots; clients on this machine may use all"
  )
  func share() throws {
    let table = Self.table(uploads: 8)
    let (one, neighbour, other) = (
      try #require(IPAddress("2001:db8::1")), try #require(IPAddress("2001:db8::ffff:1")),
      try #require(IPAddress("2001:db8:0:1::1"))
    )
    _ = try Self.begin(table, 0, from: one)
    let second = try Self.begin(table, 1, from: neighbour)
    let refusal = try #require(Self.ask(table, from: one, at: Self.time(0)).refusal)
    #expect(refusal.code == .tooMany && refusal.httpStatus == 503)
    #expect(refusal.limit == 2 && refusal.actual == 3)
    _ = try Self.begin(table, 3, from: other)
    for slot in 4..<9 { _ = try Self.begin(table, slot) }
    let beyond = try #require(Self.ask(table, from: other, at: Self.time(0)).refusal)
    #expect(beyond.limit == 8 && beyond.actual == 9)
    table.release(second)
    table.release(second)
    #expect(table.count == 7)
    _ = try Self.begin(table, 10, from: one)
  }

  @Test(
    "When all upload slots are used, the slowest upload that is below the minimum rate and older than 5 s is evicted"
  )
  func slowestFirst() throws {
    let table = Self.table(uploads: 4)
    let ids = try (0..<4).map { try Self.begin(table, $0) }
    for second in 0...5 {
      for (id, rate) in zip(ids, [2_000, 300, 100, 200]) {
        table.add(rate, to: id, at: Self.time(second))
      }
      guard second < 5 else { break }
      #expect(Self.ask(table, at: Self.time(second)).refusal != nil)
    }
    for slot in [2, 3, 1] {
      let asked = Self.ask(table, at: Self.time(5))
      let evicted = try #require(asked.evicted)
      #expect(evicted.reactor == slot && evicted.id == ids[slot])
      #expect(evicted.rate < 1_024 && evicted.slots == .ofAll(4))
      // After the eviction, later bytes and the end of the evicted upload have no effect.
      table.add(1_000_000, to: evicted.id, at: Self.time(5))
      table.release(evicted.id)
      table.resumeRate(of: try #require(asked.id), at: Self.time(5))
      #expect(table.count == 4)
    }
    // The remaining uploads are fast enough, or new, so none is evicted.
    #expect(Self.ask(table, at: Self.time(5)).refusal?.limit == 4)
  }

  @Test("Without free slots, a new address evicts new uploads only of addresses with more than one upload")
  func reopened() throws {
    let table = Self.table(uploads: 8)
    for address in 1...4 {
      for _ in 0..<2 { _ = try Self.begin(table, address, from: IPAddress(v4: UInt32(address)), at: 29) }
    }
    let newcomer = IPAddress(v4: 5)
    var evicted: Set<Int> = []
    for address in 5...8 {
      let asked = Self.ask(table, address, from: IPAddress(v4: UInt32(address)), at: Self.time(30))
      evicted.insert(try #require(asked.evicted).reactor)
      table.resumeRate(of: try #require(asked.id), at: Self.time(30))
    }
    #expect(evicted == [1, 2, 3, 4] && table.count == 8)
    #expect(Self.ask(table, from: newcomer, at: Self.time(30)).refusal != nil)
    #expect(Self.ask(table, from: IPAddress(v4: 9), at: Self.time(30)).refusal != nil)
  }

  /// Leaves `free` slots empty, and fills all other slots with uploads of four addresses. These uploads count as fast until
  /// second 30.
  private static func fill(_ table: UploadTable, _ uploads: Int, but free: Int) throws {
    for slot in 0..<uploads - free {
      let id = try begin(table, slot, from: IPAddress(v4: UInt32(1_000 + slot / (uploads / 4))))
      table.add(60_000, to: id, at: time(1))
    }
  }

  @Test(
    "A new upload of an address with few uploads cannot be evicted in its first 2 s, and later only if its body is slow"
  )
  func justBegun() throws {
    let table = Self.table(uploads: 64)
    try Self.fill(table, 64, but: 2)
    let pictures = try (0..<2).map { try Self.begin(table, 100 + $0, from: IPAddress(v4: 1), at: 10) }
    for second in 10...11 {
      #expect(Self.ask(table, from: IPAddress(v4: 2), at: Self.time(second)).refusal != nil)
    }
    table.add(2_048, to: pictures[0], at: Self.time(11))
    #expect(Self.ask(table, from: IPAddress(v4: 2), at: Self.time(12)).evicted?.id == pictures[1])
    #expect(Self.ask(table, from: IPAddress(v4: 3), at: Self.time(12)).refusal != nil)
  }

  @Test(
    "A slow upload older than 5 s is evicted before a newer slow upload whose address has few uploads")
  func newerLater() throws {
    let table = Self.table(uploads: 64)
    try Self.fill(table, 64, but: 3)
    let old = try Self.begin(table, 100, from: IPAddress(v4: 1), at: 5)
    let pictures = try (0..<2).map { try Self.begin(table, 101 + $0, from: IPAddress(v4: 2), at: 8) }
    table.add(4_000, to: old, at: Self.time(9))
    #expect(Self.ask(table, from: IPAddress(v4: 3), at: Self.time(12)).evicted?.id == old)
    #expect(Self.ask(table, from: IPAddress(v4: 4), at: Self.time(12)).evicted?.id == pictures[0])
  }

  @Test("If an address has several new uploads, one of these uploads can be evicted immediately")
  func reopenedByMany() throws {
    let table = Self.table(uploads: 64)
    try Self.fill(table, 64, but: 4)
    let old = try Self.begin(table, 100, from: IPAddress(v4: 1), at: 5)
    let reopened = try (0..<3).map { try Self.begin(table, 101 + $0, from: IPAddress(v4: 2), at: 10) }
    #expect(Self.ask(table, from: IPAddress(v4: 3), at: Self.time(10)).evicted?.id == reopened[0])
    // The older upload is evicted next, because it has received only few bytes in the last window.
    #expect(Self.ask(table, from: IPAddress(v4: 4), at: Self.time(10)).evicted?.id == old)
  }

  @Test("Slow uploads of the address with the most uploads are evicted before slower ones of other addresses")
  func heaviestFirst() throws {
    let table = Self.table(uploads: 8)
    let lone = try Self.begin(table, 0, from: IPAddress(v4: 1))
    let many = try (1...2).map { try Self.begin(table, $0, from: IPAddress(v4: 2)) }
    for slot in 3...7 {
      table.add(60_000, to: try Self.begin(table, slot, from: IPAddress(v4: UInt32(slot))), at: Self.time(0))
    }
    for id in many { table.add(6_000, to: id, at: Self.time(10)) }
    let first = Self.ask(table, from: IPAddress(v4: 10), at: Self.time(10))
    #expect(first.evicted?.id == many[0] && first.evicted?.rate == 600)
    // Each address has one upload now.
    let second = Self.ask(table, from: IPAddress(v4: 11), at: Self.time(10))
    #expect(second.evicted?.id == lone)
  }

  @Test(
    "If the eviction of an upload cannot be sent to its reactor, the upload keeps its slot, and the new upload is refused"
  )
  func fullMailbox() throws {
    let table = Self.table(uploads: 1)
    let id = try Self.begin(table, 0)
    let asked = Self.ask(table, at: Self.time(30), canEnd: false)
    #expect(asked.evicted?.id == id && asked.refusal?.limit == 1)
    #expect(table.count == 1)
    #expect(Self.ask(table, at: Self.time(30)).evicted?.id == id)
    #expect(table.count == 1)
  }

  @Test(
    "An address that used all its slots can evict only its own slowest upload, and only if older than 30 s"
  )
  func ownShare() throws {
    let table = Self.table(uploads: 8)
    let (one, other) = (IPAddress(v4: 1), IPAddress(v4: 2))
    _ = try Self.begin(table, 0, from: other)
    let ids = try (1...2).map { try Self.begin(table, $0, from: one) }
    table.add(1_000, to: ids[0], at: Self.time(29))
    #expect(Self.ask(table, from: one, at: Self.time(29)).refusal?.limit == 2)
    let evicted = try #require(Self.ask(table, from: one, at: Self.time(30)).evicted)
    #expect(evicted.reactor == 2 && evicted.slots == .ofAddress(2))
  }

  @Test(
    "An upload does not count as slow while the gateway does not read its body, or when all its bytes have arrived"
  )
  func paused() throws {
    let table = Self.table(uploads: 1)
    let id = try Self.begin(table, 0)
    table.pauseRate(of: id, at: Self.time(0))
    // While the gateway does not read, the rate of the upload is unknown.
    #expect(Self.ask(table, at: Self.time(100)).refusal != nil)
    table.resumeRate(of: id, at: Self.time(100))
    #expect(Self.ask(table, at: Self.time(104)).refusal != nil)
    // When the gateway reads again, the grace time of 5 s does not start again.
    table.resumeRate(of: id, at: Self.time(104))
    #expect(Self.ask(table, at: Self.time(105)).evicted != nil)
  }

  @Test(
    "The measured rate of a fast upload is not lowered by a pause in which the gateway does not read"
  )
  func fastAfterPause() throws {
    let table = Self.table(uploads: 4)
    let id = try Self.begin(table, 0)
    table.add(65_536, to: id, at: Self.time(1))
    table.pauseRate(of: id, at: Self.time(1))
    table.resumeRate(of: id, at: Self.time(20))
    for slot in 1...3 { _ = try Self.begin(table, slot, at: 20) }
    #expect(Self.ask(table, at: Self.time(24)).refusal != nil)
  }
}

@Suite("BodyRate: the average rate of a request body, without pauses")
struct BodyRateTests {
  @Test("Bytes that arrived before the averaging window do not count toward the average rate of a body")
  func window() {
    var rate = BodyRate(window: .seconds(30))
    func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9) + 7) }
    rate.add(1_000_000, at: time(0))
    #expect(rate.average(at: time(100)) == nil)
    rate.resume(at: time(0))
    rate.add(3_000_000, at: time(1))
    #expect(rate.average(at: time(29.9), after: .seconds(30)) == nil)
    #expect(rate.average(at: time(10)) == 300_000)
    #expect(rate.average(at: time(30), after: .seconds(60)) == 100_000)
    #expect(rate.average(at: time(34.9)) == 100_000)
    #expect(rate.average(at: time(35)) == 0)
    for second in stride(from: 40.0, through: 1_000, by: 0.5) {
      rate.add(500, at: time(second))
      guard second > 80, let average = rate.average(at: time(second)) else { continue }
      #expect((1_000...1_200).contains(average), "\(average) after \(second) s")
    }
    #expect(rate.average(at: time(1_000_000)) == 0)
    rate.pause(at: time(1_000_000))
    #expect(rate.average(at: time(1_000_100)) == nil)
  }

  @Test("Time that passes and bytes that arrive during a pause do not count toward the rate")
  func pause() {
    var rate = BodyRate(window: .seconds(30))
    rate.resume(at: MonotonicTime(nanoseconds: 7_000_000_000))
    rate.add(8_000, at: MonotonicTime(nanoseconds: 8_000_000_000))
    rate.pause(at: MonotonicTime(nanoseconds: 9_000_000_000))
    rate.add(1_000_000, at: MonotonicTime(nanoseconds: 10_000_000_000))
    rate.resume(at: MonotonicTime(nanoseconds: 1_000_000_000_000))
    #expect(rate.average(at: MonotonicTime(nanoseconds: 1_001_999_999_999), after: .seconds(4)) == nil)
    #expect(rate.average(at: MonotonicTime(nanoseconds: 1_002_000_000_000), after: .seconds(4)) == 2_000)
    // In the first second, the rate is computed as if a whole second had passed.
    var fresh = BodyRate(window: .seconds(30))
    fresh.resume(at: MonotonicTime(nanoseconds: 0))
    fresh.add(1_000, at: MonotonicTime(nanoseconds: 1_000))
    #expect(fresh.average(at: MonotonicTime(nanoseconds: 2_000)) == 1_000)
  }
}
