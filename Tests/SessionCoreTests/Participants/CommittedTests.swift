import Testing
import Wire

import Primitives
@testable import SessionCore

/// P4 without a store: the message `committed`.
@Suite("P4: senders get `committed` soon after their entries are committed")
struct CommittedTests {
  @Test(
    "S35 a sender gets `committed` within 150 ms, at most every 100 ms; one message covers all entries of the sender"
  )
  func told() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    ada.send("1")
    try fixture.turn(ada, bo)
    #expect(ada.committed.isEmpty)
    fixture.pass(milliseconds: 50)
    ada.send("2")
    try fixture.turn(ada, bo)
    fixture.pass(milliseconds: 50)
    try fixture.turn(ada, bo)
    fixture.pass(milliseconds: 50)
    try fixture.turn(ada, bo)
    #expect(ada.committed == [ada.drawn.last?.sequence])
    #expect(bo.committed.isEmpty)
  }

  @Test("S35 a participant that sets the activity gets `committed` for this change, even after a resume")
  func toldOfActivity() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    fixture.session.setActivity(ActivityChange(title: "New"), by: ada.subscriber, now: fixture.now)
    try fixture.turn(ada)
    ada.breakWire()
    let again = try fixture.join(resume: ada.resume(after: nil))
    let sequence = try #require(again.joined?.sequence)
    fixture.session.setActivity(ActivityChange(title: "Newer"), by: again.subscriber, now: fixture.now)
    for _ in 0..<5 {
      try fixture.turn(again)
      fixture.pass(milliseconds: 50)
    }
    #expect(again.committed.contains { $0 >= sequence })
    let last = try #require(again.entries.last { $0.typeText == "activity" }?.sequence)
    #expect(again.committed.last ?? 0 >= last)
  }

  @Test(
    "S35 an entry between a commit and its `committed` message is covered by a later `committed` message"
  )
  func between() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send("1")
    try fixture.turn(ada)
    fixture.pass(milliseconds: 100)
    ada.send("2")
    for _ in 0..<10 {
      try fixture.turn(ada)
      fixture.pass(milliseconds: 50)
    }
    try fixture.turn(ada)
    #expect(ada.joined?.committed == 0)
    let last = try #require(ada.drawn.last?.sequence)
    // The first `committed` was piggybacked on the second entry, in the frames for all members at the tail.
    #expect(ada.committed.last == last)
  }

  @Test(
    "S35 a client that resumes before its last sequence is committed gets `committed` when that sequence is committed"
  )
  func resumed() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send("1")
    fixture.pass(milliseconds: 100)
    try fixture.turn(ada)
    ada.breakWire()
    let bo = try fixture.join()
    try fixture.turn(bo)
    let again = try fixture.join(resume: ada.resume(after: nil))
    let joined = try #require(again.joined)
    #expect(joined.committed < joined.sequence)
    for _ in 0..<5 {
      fixture.pass(milliseconds: 50)
      try fixture.turn(again, bo)
    }
    #expect(again.committed.last.map { $0 >= joined.sequence } == true)
  }

  @Test("The time from the oldest uncommitted entry to its `committed` message is measured once per message")
  func waits() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    try fixture.turn(ada)
    _ = fixture.session.takeCounters()
    ada.send("1")
    try fixture.turn(ada)
    fixture.pass(milliseconds: 30)
    ada.send("2")
    try fixture.turn(ada)
    var waits: [Int64] = []
    for _ in 0..<20 {
      fixture.pass(milliseconds: 10)
      try fixture.turn(ada)
      let wait = fixture.session.takeCounters().commitWait
      if wait > 0 { waits.append(wait) }
    }
    #expect(ada.committed.count == 1)
    // The entry counts as committed after 100 ms. Its `committed` message waits another 50 ms for other entries, and the next
    // turn sends it.
    #expect(waits.count == 1 && (130_000_000...160_000_000).contains(waits[0]), "\(waits)")
  }

  @Test(
    "S36 a participant that missed a turn's unreliable frames, which include `committed`, gets `committed` again"
  )
  func missed() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    ada.send("1")
    try fixture.turn(ada, bo)
    fixture.pass(milliseconds: 100)
    bo.send("2")
    try fixture.turn(ada, bo)
    #expect(!fixture.session.unreliableFrames.isEmpty)
    fixture.session.didSendUnreliable(0, ada.subscriber, now: fixture.now)
    for _ in 0..<5 {
      fixture.pass(milliseconds: 50)
      try fixture.turn(ada, bo)
    }
    #expect(ada.committed.last.map { $0 >= ada.drawn.first?.sequence ?? .max } == true)
  }
}
