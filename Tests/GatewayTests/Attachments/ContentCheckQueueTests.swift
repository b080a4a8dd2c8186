import Testing
import Networking
import Wire

@testable import Gateway

@Suite("Queue of content checks")
struct ContentCheckQueueTests {
  private let ada = IPAddress(v4: 1)
  private let ben = IPAddress(v4: 2)
  private let carol = IPAddress(v4: 3)

  private func content(_ number: UInt64) -> ContentID {
    ContentID(session: SessionID(high: 0, low: number), digest: "")
  }

  /// The queue in a class, so that expectations can call its mutating functions.
  private final class Checks {
    private var queue: ContentCheckQueue

    init(running: Int = 2, waiting: Int = 100, perClient: Int = 10) {
      queue = ContentCheckQueue(
        runningLimit: running, waitingLimit: waiting, waitingLimitPerClient: perClient)
    }

    /// The contents that were removed from the full queue.
    private(set) var dropped: [ContentID] = []

    func add(_ content: ContentID, for address: IPAddress?) -> Bool {
      guard case .added(let dropped) = queue.add(content, for: address) else { return false }
      if let dropped { self.dropped.append(dropped) }
      return true
    }

    func end(_ content: ContentID) { queue.end(content) }

    /// Begins all checks that may begin.
    func begin() -> [ContentID] {
      var begun: [ContentID] = []
      while let next = queue.next() { begun.append(next) }
      return begun
    }
  }

  @Test("Only one content of an address is verified at a time, in round-robin order of the addresses")
  func turns() {
    let checks = Checks()
    for number in 1...4 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    #expect(checks.begin() == [content(1)])
    #expect(checks.add(content(5), for: ben) && checks.add(content(6), for: carol))
    #expect(checks.begin() == [content(5)], "two at a time in all")
    checks.end(content(1))
    #expect(checks.begin() == [content(6)], "the newcomer is before the second content of another address")
    checks.end(content(5))
    #expect(checks.begin() == [content(2)])
    checks.end(content(6))
    checks.end(content(2))
    #expect(checks.begin() == [content(3)])
    checks.end(content(3))
    #expect(checks.begin() == [content(4)])
    checks.end(content(4))
    #expect(checks.begin().isEmpty)
  }

  @Test("Content that waits for two addresses is verified once, when the first of the two addresses is next")
  func shared() {
    let checks = Checks()
    for number in 1...3 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    #expect(checks.add(content(3), for: ben) && checks.add(content(3), for: ben))
    #expect(checks.begin() == [content(1), content(3)])
    #expect(checks.add(content(3), for: carol), "it is being verified")
    checks.end(content(1))
    checks.end(content(3))
    #expect(checks.begin() == [content(2)])
    checks.end(content(2))
    #expect(checks.begin().isEmpty)
  }

  @Test("Contents beyond the limits are refused; only the common limit applies to addresses of this machine")
  func limits() {
    let checks = Checks(waiting: 6, perClient: 3)
    for number in 1...5 { #expect(checks.add(content(UInt64(number)), for: ada) == (number <= 3)) }
    #expect(checks.add(content(3), for: ada), "it waits already")
    for number in 6...9 { #expect(checks.add(content(UInt64(number)), for: nil) == (number <= 8)) }
    #expect(!checks.add(content(10), for: nil))
    #expect(checks.add(content(8), for: ben), "it adds none")
    #expect(checks.begin() == [content(1), content(6)])
    checks.end(content(1))
    #expect(checks.add(content(10), for: ben))
  }

  @Test(
    "In a full queue, the client with the most waiting contents loses its newest one to a client with fewer")
  func full() {
    let checks = Checks(running: 1, waiting: 8)
    for number in 1...5 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    for number in 6...8 { #expect(checks.add(content(UInt64(number)), for: ben)) }
    #expect(checks.begin() == [content(1)])
    for number in 11...12 { #expect(checks.add(content(UInt64(number)), for: carol)) }
    #expect(checks.dropped == [content(5), content(8)] || checks.dropped == [content(5), content(4)])
    #expect(!checks.add(content(20), for: ada))
    #expect(!checks.add(content(13), for: carol), "none would keep more than carol would get")
    var begun: [ContentID] = []
    checks.end(content(1))
    while let next = checks.begin().first {
      begun.append(next)
      checks.end(next)
    }
    #expect(begun.count == 7 && Set(begun).isDisjoint(with: checks.dropped))
  }

  @Test("Content stays in a full queue while a client with few waiting contents also waits for it")
  func fullShared() {
    let checks = Checks(running: 1, waiting: 5)
    for number in 1...5 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    #expect(checks.add(content(5), for: ben))
    #expect(checks.add(content(6), for: carol))
    #expect(checks.dropped == [content(4)])
    #expect(checks.begin() == [content(1)])
    checks.end(content(1))
    #expect(checks.begin() == [content(5)])
  }

  @Test("The addresses of one IPv6 network are one client")
  func networks() {
    let checks = Checks(perClient: 1)
    #expect(checks.add(content(1), for: IPAddress(v6High: 7, low: 1)))
    #expect(!checks.add(content(2), for: IPAddress(v6High: 7, low: 2)))
    #expect(checks.add(content(2), for: IPAddress(v6High: 8, low: 1)))
  }
}
