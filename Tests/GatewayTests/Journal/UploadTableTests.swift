import Testing
import Transport
import Wire

@testable import Gateway

@Suite("The table of uploads")
struct UploadTableTests {
  private static func time(_ seconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private static func place(_ slot: Int, reactor: Int = 0) -> UploadTable.Place {
    UploadTable.Place(reactor: reactor, connection: Connection.Key(slot: Int32(slot), generation: 1))
  }

  private static func table(uploads: Int) -> UploadTable {
    var limits = Limits()
    limits.uploads = uploads
    return UploadTable(limits: limits)
  }

  /// Admits an upload whose body begins at once.
  private static func begin(
    _ table: UploadTable, _ slot: Int, from address: IPAddress? = nil, at second: Int = 0
  ) throws -> UploadTable.ID {
    let admission = table.admit(from: address, at: place(slot), now: time(second))
    guard case .admitted(let id, inPlaceOf: nil) = admission else { throw Unexpected(admission: admission) }
    table.resumeRate(of: id, at: time(second))
    return id
  }

  private struct Unexpected: Error {
    let admission: UploadTable.Admission
  }

  @Test("One address, or network of IPv6, has a quarter of the uploads at once; this machine has no share")
  func share() throws {
    let table = Self.table(uploads: 8)
    let (one, neighbour, other) = (
      try #require(IPAddress("2001:db8::1")), try #require(IPAddress("2001:db8::ffff:1")),
      try #require(IPAddress("2001:db8:0:1::1"))
    )
    _ = try Self.begin(table, 0, from: one)
    let second = try Self.begin(table, 1, from: neighbour)
    guard case .refused(let refusal) = table.admit(from: one, at: Self.place(2), now: Self.time(0)) else {
      Issue.record("beyond the share it is refused")
      return
    }
    #expect(refusal.code == .tooMany && refusal.httpStatus == 503)
    #expect(refusal.limit == 2 && refusal.actual == 3)
    _ = try Self.begin(table, 3, from: other)
    for slot in 4..<9 { _ = try Self.begin(table, slot) }
    guard case .refused(let refusal) = table.admit(from: other, at: Self.place(9), now: Self.time(0)) else {
      Issue.record("beyond the limit it is refused")
      return
    }
    #expect(refusal.limit == 8 && refusal.actual == 9)
    table.release(second)
    table.release(second)
    #expect(table.count == 7)
    _ = try Self.begin(table, 10, from: one)
  }

  @Test("When all slots are taken, the slowest below the minimum rate of the last 30 s gives way")
  func slowestFirst() throws {
    let table = Self.table(uploads: 4)
    let ids = try (0..<4).map { try Self.begin(table, $0) }
    for second in 0...30 {
      for (id, rate) in zip(ids, [2_000, 300, 100, 200]) {
        table.add(rate, to: id, at: Self.time(second))
      }
      guard second < 30 else { break }
      guard case .refused = table.admit(from: nil, at: Self.place(9), now: Self.time(second)) else {
        Issue.record("after \(second) s nothing can be said of its rate")
        return
      }
    }
    for slot in [2, 3, 1] {
      guard
        case .admitted(let id, let evicted?) = table.admit(from: nil, at: Self.place(9), now: Self.time(30))
      else {
        Issue.record("there is one below the minimum")
        return
      }
      #expect(evicted.place == Self.place(slot) && evicted.id == ids[slot])
      #expect(evicted.rate < 1_024)
      // What it still brings, and its end, are nobody's.
      table.add(1_000_000, to: evicted.id, at: Self.time(30))
      table.release(evicted.id)
      table.resumeRate(of: id, at: Self.time(30))
      #expect(table.count == 4)
    }
    guard case .refused(let refusal) = table.admit(from: nil, at: Self.place(9), now: Self.time(30)) else {
      Issue.record("the others are fast enough, or new")
      return
    }
    #expect(refusal.limit == 4)
  }

  @Test("An address that has its share gives up its own slowest, and nobody else's")
  func ownShare() throws {
    let table = Self.table(uploads: 8)
    let (one, other) = (IPAddress(v4: 1), IPAddress(v4: 2))
    _ = try Self.begin(table, 0, from: other)
    let ids = try (1...2).map { try Self.begin(table, $0, from: one) }
    table.add(1_000, to: ids[0], at: Self.time(29))
    guard
      case .admitted(_, let evicted?) = table.admit(from: one, at: Self.place(3), now: Self.time(30))
    else {
      Issue.record("its own slow one gives way")
      return
    }
    #expect(evicted.place == Self.place(2))
  }

  @Test("While the gateway takes nothing, or has all there is, an upload is not slow")
  func paused() throws {
    let table = Self.table(uploads: 1)
    let id = try Self.begin(table, 0)
    table.pauseRate(of: id)
    guard case .refused = table.admit(from: nil, at: Self.place(1), now: Self.time(100)) else {
      Issue.record("its rate is not known")
      return
    }
    table.resumeRate(of: id, at: Self.time(100))
    guard case .refused = table.admit(from: nil, at: Self.place(1), now: Self.time(129)) else {
      Issue.record("it has 30 s again")
      return
    }
    // Going on does not begin them anew.
    table.resumeRate(of: id, at: Self.time(129))
    guard case .admitted(_, inPlaceOf: _?) = table.admit(from: nil, at: Self.place(1), now: Self.time(130))
    else {
      Issue.record("its 30 s are over")
      return
    }
  }
}

@Suite("The rate of a body")
struct BodyRateTests {
  @Test("The average covers the last window, whatever came before")
  func window() {
    var rate = BodyRate(window: .seconds(30))
    func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9) + 7) }
    rate.add(1_000_000, at: time(0))
    #expect(rate.average(at: time(100)) == nil)
    rate.resume(at: time(0))
    rate.add(3_000_000, at: time(1))
    #expect(rate.average(at: time(29.9)) == nil)
    #expect(rate.average(at: time(30)) == 100_000)
    #expect(rate.average(at: time(34.9)) == 100_000)
    #expect(rate.average(at: time(35)) == 0)
    for second in stride(from: 40.0, through: 1_000, by: 0.5) {
      rate.add(500, at: time(second))
      guard second > 80, let average = rate.average(at: time(second)) else { continue }
      #expect((1_000...1_200).contains(average), "\(average) after \(second) s")
    }
    #expect(rate.average(at: time(1_000_000)) == 0)
    rate.pause()
    #expect(rate.average(at: time(1_000_100)) == nil)
  }
}
