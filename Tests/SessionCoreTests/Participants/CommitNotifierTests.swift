import Primitives
import Testing
import Wire

@testable import SessionCore

@Suite("The notifier that sends `committed` to participants")
struct CommitNotifierTests {
  private let ada = Self.participant(1)
  private let bo = Self.participant(2)

  private static func participant(_ number: ParticipantNumber) -> ParticipantState {
    let rates = EntryRateLimiter.Rates(entriesPerSecond: 10, bytesPerSecond: 1_000)
    return ParticipantState(
      id: EntryKey(high: 9, low: UInt64(number)).uuid, number: number, name: "N", color: "#000000",
      rateLimiter: EntryRateLimiter(rates, at: .zero))
  }

  private func at(_ milliseconds: Int) -> MonotonicTime {
    MonotonicTime.zero.adding(milliseconds: milliseconds)
  }

  /// Records that a participant sent the entry with this sequence.
  private func send(
    _ sequence: UInt64, by participant: ParticipantState, _ commits: inout CommitNotifier, at time: Int
  ) {
    participant.lastSequence = sequence
    commits.recordEntry(of: participant, now: at(time))
  }

  /// Announces the committed sequence; every participant gets the message by the same route.
  private func announce(
    _ commits: inout CommitNotifier, _ route: CommitNotifier.Route, at time: Int
  ) -> CommitNotifier.Announcement {
    let participants = [1: ada, 2: bo] as [ParticipantNumber: ParticipantState]
    return commits.announce(now: at(time)) {
      participants[$0]
    } route: { _ in
      route
    }
  }

  @Test(
    "Without a store, an entry counts as committed after 100 ms, and `committed` is sent within another 50 ms"
  )
  func memory() {
    var commits = CommitNotifier(isByStore: false)
    #expect(commits.nextDeadline == nil)
    send(1, by: ada, &commits, at: 0)
    #expect(commits.nextDeadline == at(100))
    commits.tick(lastSequence: 1, now: at(99))
    #expect(commits.committed == 0)
    commits.tick(lastSequence: 1, now: at(100))
    #expect(commits.committed == 1 && commits.nextDeadline == at(150))
    #expect(!commits.isDue(canPiggyback: false, now: at(149)))
    #expect(commits.isDue(canPiggyback: true, now: at(110)))
    #expect(commits.isDue(canPiggyback: false, now: at(150)))
    let announcement = announce(&commits, .outbox, at: 150)
    #expect(announcement.isNeeded && announcement.outboxes.map(\.number) == [1])
    #expect(announcement.wait == 150_000_000)
    #expect(commits.nextDeadline == nil && !ada.awaitsCommitted)
  }

  @Test("With a store, `committed` is sent after each save, but at most every 100 ms")
  func store() {
    var commits = CommitNotifier(isByStore: true)
    send(1, by: ada, &commits, at: 0)
    #expect(commits.nextDeadline == nil)
    var oldest = commits.beginSave(isComplete: true)
    commits.finishSave(oldest, through: 1, now: at(10))
    #expect(commits.committed == 1 && commits.nextDeadline == at(60))
    let first = announce(&commits, .outbox, at: 60)
    #expect(first.wait == 60_000_000)
    send(2, by: ada, &commits, at: 70)
    oldest = commits.beginSave(isComplete: true)
    commits.finishSave(oldest, through: 2, now: at(80))
    #expect(commits.nextDeadline == at(160), "100 ms after the last message")
    commits.tick(lastSequence: 2, now: at(160))
    #expect(commits.nextDeadline == at(210))
  }

  @Test("After a save, no `committed` is sent if no sender waits for one")
  func nobody() {
    var commits = CommitNotifier(isByStore: true)
    let oldest = commits.beginSave(isComplete: true)
    commits.finishSave(oldest, through: 5, now: at(10))
    #expect(commits.committed == 5 && commits.nextDeadline == nil)
  }

  @Test("If a save fails, the time until `committed` is still measured from the arrival of the oldest entry")
  func failure() {
    var commits = CommitNotifier(isByStore: true)
    send(1, by: ada, &commits, at: 0)
    var oldest = commits.beginSave(isComplete: true)
    send(2, by: ada, &commits, at: 500)
    commits.failSave(oldest)
    oldest = commits.beginSave(isComplete: true)
    commits.finishSave(oldest, through: 2, now: at(1_000))
    let announcement = announce(&commits, .outbox, at: 1_050)
    #expect(announcement.wait == 1_050_000_000)
  }

  @Test("A sender whose entry is not covered by a `committed` message waits for the next one")
  func between() {
    var commits = CommitNotifier(isByStore: false)
    send(1, by: ada, &commits, at: 0)
    commits.tick(lastSequence: 1, now: at(100))
    send(2, by: ada, &commits, at: 110)
    send(3, by: bo, &commits, at: 120)
    let announcement = announce(&commits, .outbox, at: 150)
    #expect(announcement.outboxes.map(\.number) == [1])
    #expect(ada.awaitsCommitted && ada.awaitsFrom == 2 && bo.awaitsCommitted)
    commits.tick(lastSequence: 3, now: at(210))
    let second = announce(&commits, .outbox, at: 260)
    #expect(second.outboxes.map(\.number) == [1, 2])
  }

  @Test(
    "If a socket cannot take the frames that carry a `committed`, its participant gets the next `committed`")
  func missed() {
    var commits = CommitNotifier(isByStore: false)
    send(1, by: ada, &commits, at: 0)
    commits.tick(lastSequence: 1, now: at(100))
    let first = announce(&commits, .piggyback, at: 110)
    #expect(first.isNeeded && first.outboxes.isEmpty)
    commits.recordMissed(bo, now: at(110))
    #expect(commits.nextDeadline == nil, "Bo was not a recipient of the message")
    commits.recordMissed(ada, now: at(110))
    #expect(ada.awaitsCommitted && commits.nextDeadline == at(210))
    commits.beginTurn()
    commits.tick(lastSequence: 1, now: at(210))
    let second = announce(&commits, .outbox, at: 260)
    #expect(second.outboxes.map(\.number) == [1])
  }

  @Test(
    "A postponed `committed` is tried again 100 ms later; a participant without a socket gets no `committed`")
  func routes() {
    var commits = CommitNotifier(isByStore: false)
    send(1, by: ada, &commits, at: 0)
    commits.tick(lastSequence: 1, now: at(100))
    let postponed = announce(&commits, .postponed, at: 150)
    #expect(postponed.isNeeded && postponed.outboxes.isEmpty && ada.awaitsCommitted)
    #expect(commits.nextDeadline == at(250))
    let none = announce(&commits, .none, at: 250)
    #expect(none.isNeeded && none.outboxes.isEmpty && !ada.awaitsCommitted)
    #expect(commits.nextDeadline == nil)
  }
}
