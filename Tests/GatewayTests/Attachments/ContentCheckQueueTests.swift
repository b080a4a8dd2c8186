import Testing
import Networking
import Wire

@testable import Gateway

@Suite("The queue of content checks is bounded, and the clients in it take turns")
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

    /// The contents that other contents have displaced from the full queue.
    private(set) var dropped: [ContentID] = []

    func add(_ content: ContentID, for address: IPAddress?) -> Bool {
      guard case .added(let dropped) = queue.add(content, for: address) else { return false }
      if let dropped { self.dropped.append(dropped) }
      return true
    }

    func end(_ content: ContentID) { queue.end(content) }

    /// Begins as many checks as are allowed to run at a time.
    func begin() -> [ContentID] {
      var begun: [ContentID] = []
      while let next = queue.next() { begun.append(next) }
      return begun
    }
  }

  @Test("At most one content of each address is verified at a time, and the addresses take turns")
  func turns() {
    let checks = Checks()
    for number in 1...4 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    #expect(checks.begin() == [content(1)])
    #expect(checks.add(content(5), for: ben) && checks.add(content(6), for: carol))
    #expect(checks.begin() == [content(5)], "at most two checks run at a time")
    checks.end(content(1))
    #expect(
      checks.begin() == [content(6)],
      "the first content of a new address is before the second content of another address")
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

  @Test(
    "If two addresses wait for the same content, it is verified once, as soon as either address has its turn"
  )
  func shared() {
    let checks = Checks()
    for number in 1...3 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    #expect(checks.add(content(3), for: ben) && checks.add(content(3), for: ben))
    #expect(checks.begin() == [content(1), content(3)])
    #expect(checks.add(content(3), for: carol), "the content is being verified already")
    checks.end(content(1))
    checks.end(content(3))
    #expect(checks.begin() == [content(2)])
    checks.end(content(2))
    #expect(checks.begin().isEmpty)
  }

  @Test(
    "Queued contents are limited per client and in total; requests from this machine have only the total limit"
  )
  func limits() {
    let checks = Checks(waiting: 6, perClient: 3)
    for number in 1...5 { #expect(checks.add(content(UInt64(number)), for: ada) == (number <= 3)) }
    #expect(checks.add(content(3), for: ada), "the content waits already")
    for number in 6...9 { #expect(checks.add(content(UInt64(number)), for: nil) == (number <= 8)) }
    #expect(!checks.add(content(10), for: nil))
    #expect(checks.add(content(8), for: ben), "the content waits already, so the queue does not grow")
    #expect(checks.begin() == [content(1), content(6)])
    checks.end(content(1))
    #expect(checks.add(content(10), for: ben))
  }

  @Test(
    "In a full queue, a client with few contents displaces the newest content of the client with the most contents"
  )
  func full() {
    let checks = Checks(running: 1, waiting: 8)
    for number in 1...5 { #expect(checks.add(content(UInt64(number)), for: ada)) }
    for number in 6...8 { #expect(checks.add(content(UInt64(number)), for: ben)) }
    #expect(checks.begin() == [content(1)])
    for number in 11...12 { #expect(checks.add(content(UInt64(number)), for: carol)) }
    #expect(checks.dropped == [content(5), content(8)] || checks.dropped == [content(5), content(4)])
    #expect(!checks.add(content(20), for: ada))
    #expect(
      !checks.add(content(13), for: carol),
      "no other client has more waiting contents than Carol would then have")
    var begun: [ContentID] = []
    checks.end(content(1))
    while let next = checks.begin().first {
      begun.append(next)
      checks.end(next)
    }
    #expect(begun.count == 7 && Set(begun).isDisjoint(with: checks.dropped))
  }

  @Test(
    "In a full queue, a content that two clients wait for is not displaced if one of these clients has few waiting contents"
  )
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

  @Test("The addresses of one IPv6 network count as one client")
  func networks() {
    let checks = Checks(perClient: 1)
    #expect(checks.add(content(1), for: IPAddress(v6High: 7, low: 1)))
    #expect(!checks.add(content(2), for: IPAddress(v6High: 7, low: 2)))
    #expect(checks.add(content(2), for: IPAddress(v6High: 8, low: 1)))
  }
}
