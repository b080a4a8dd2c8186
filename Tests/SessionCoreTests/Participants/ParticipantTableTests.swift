import Primitives
import Testing
import Wire

@testable import SessionCore

@Suite("ParticipantTable contains present and past participants, their tokens, colors and grace times")
struct ParticipantTableTests {
  private let rates = EntryRateLimiter.Rates(entriesPerSecond: 10, bytesPerSecond: 1_000)

  private func table(pastLimit: Int = 2) -> ParticipantTable {
    ParticipantTable(pastLimit: pastLimit) { TokenDigest(high: $0.high, low: $0.low) }
  }

  private func token(_ number: UInt64) -> Token { Token(high: 7, low: number) }

  /// Adds an active participant, whose token is made from the participant's number.
  private func join(_ table: inout ParticipantTable, name: String? = nil) -> ParticipantState {
    let low = UInt64(table.nextNumber)
    let identity = NewIdentity(id: EntryKey(high: 9, low: low).uuid, token: token(low), lot: low)
    let participant = table.add(Profile(name: name), identity, EntryRateLimiter(rates, at: .zero))
    table.activate(participant, identity.token)
    participant.presence = .joined(Subscriber(connection: low))
    return participant
  }

  /// Removes a participant with the same calls as `Session.remove`.
  private func remove(
    _ participant: ParticipantState, _ reason: Departure.Reason, from table: inout ParticipantTable
  ) {
    if reason == .left { table.revokeToken(of: participant) }
    table.end(participant, reason)
    table.retire(participant, hasJoined: true)
  }

  @Test("Participants are numbered from 1, and can be found by their tokens")
  func joins() {
    var table = table()
    let ada = join(&table)
    let bo = join(&table)
    #expect([ada.number, bo.number] == [1, 2] && table.nextNumber == 3)
    #expect(table.activeCount == 2 && table.count == 2)
    #expect(table.number(of: token(2)) == 2)
    #expect(table.number(of: token(3)) == nil)
    #expect(ada.color != bo.color)
  }

  @Test("A waiting participant counts toward the limit of participants, and has no token until it joins")
  func waits() {
    var table = table()
    let subscriber = Subscriber(connection: 5)
    let identity = NewIdentity(id: EntryKey(high: 9, low: 1).uuid, token: token(1), lot: 1)
    let participant = table.add(Profile(), identity, EntryRateLimiter(rates, at: .zero))
    table.wait(participant, on: subscriber)
    #expect(table.waiting == [1] && table.occupiedPlaces == 1 && table.activeCount == 0)
    #expect(table.waiting(on: subscriber) === participant)
    #expect(table.waiting(on: Subscriber(connection: 5)) == nil)
    #expect(table.formerNumber(of: token(1)) == nil)
    table.activate(participant, token(1))
    #expect(table.waiting.isEmpty && table.occupiedPlaces == 1 && table.number(of: token(1)) == 1)
  }

  @Test("After a participant has left, its token identifies it only as a former participant")
  func leaves() {
    var table = table()
    let ada = join(&table)
    remove(ada, .left, from: &table)
    #expect(table.number(of: token(1)) == nil)
    #expect(table.formerNumber(of: token(1)) == 1)
    #expect(table.activeCount == 0 && table.past == [1])
  }

  @Test("A grace time ends at its deadline, unless the participant has resumed")
  func grace() {
    var table = table()
    let ada = join(&table)
    let bo = join(&table)
    table.beginGrace(of: ada, until: MonotonicTime.zero.adding(seconds: 10))
    table.beginGrace(of: bo, until: MonotonicTime.zero.adding(seconds: 20))
    #expect(table.nextDeadline == MonotonicTime.zero.adding(seconds: 10))
    #expect(table.nextExpired(now: MonotonicTime.zero.adding(seconds: 9)) == nil)
    ada.presence = .joined(Subscriber(connection: 8))
    #expect(table.nextExpired(now: MonotonicTime.zero.adding(seconds: 15)) == nil)
    table.beginGrace(of: ada, until: MonotonicTime.zero.adding(seconds: 30))
    #expect(table.nextExpired(now: MonotonicTime.zero.adding(seconds: 25)) === bo)
    #expect(table.nextExpired(now: MonotonicTime.zero.adding(seconds: 30)) === ada)
    #expect(table.nextDeadline == nil)
  }

  @Test(
    "The oldest past participants and their tokens are forgotten, but the names of senders of retained entries stay"
  )
  func forgets() {
    var table = table(pastLimit: 1)
    let participants = [join(&table, name: "Ada"), join(&table), join(&table)]
    participants[0].hasRetained = true
    for participant in participants { remove(participant, .gone, from: &table) }
    var forgotten: [ParticipantNumber] = []
    table.forgetOldest { participant in
      #expect(participant.digest != nil, "the token is still known")
      forgotten.append(participant.number)
    }
    #expect(forgotten == [1, 2] && table.past == [3])
    #expect(table.number(of: token(1)) == nil && table.number(of: token(3)) == 3)
    #expect(table.formerSenders.values.map(\.name) == ["Ada"])
    let senders = table.pastSenders(among: [1, 2, 3])
    #expect(senders.map(\.number) == [1, 3])
    let none = table.pastSenders(among: [])
    #expect(none.isEmpty && table.formerSenders.isEmpty)
  }

  @Test("A color is free again when its last user has left")
  func colors() {
    var table = table(pastLimit: 100)
    let participants = (0..<ParticipantPalette.entries.count).map { _ in join(&table) }
    #expect(Set(participants.map(\.color)).count == ParticipantPalette.entries.count)
    let free = participants[3].color
    remove(participants[3], .gone, from: &table)
    let last = join(&table)
    #expect(last.color == free)
  }

  @Test("Applying a profile that changes nothing returns false")
  func profile() {
    var table = table()
    let ada = join(&table, name: "Ada")
    let isOther = [
      table.apply(Profile(name: "Ada"), to: ada), table.apply(Profile(name: "Ida"), to: ada),
    ]
    #expect(isOther == [false, true])
    #expect(ada.name == "Ida")
  }

  @Test("After a restore, active participants expire in the order in which their grace times end")
  func restores() {
    var table = table()
    var states: [ParticipantState] = []
    for number in 1...3 as ClosedRange<ParticipantNumber> {
      let state = ParticipantState(
        id: EntryKey(high: 9, low: UInt64(number)).uuid, number: number, name: "N", color: "#000000",
        rateLimiter: EntryRateLimiter(rates, at: .zero))
      state.digest = TokenDigest(high: 7, low: UInt64(number))
      states.append(state)
    }
    states[1].presence = .away(until: MonotonicTime.zero.adding(seconds: 5))
    states[2].presence = .away(until: MonotonicTime.zero.adding(seconds: 4))
    table.restore(states, past: [1])
    #expect(table.activeCount == 2 && table.past == [1])
    #expect(table.number(of: token(1)) == 1)
    let late = MonotonicTime.zero.adding(seconds: 9)
    #expect(table.nextExpired(now: late) === states[2])
    #expect(table.nextExpired(now: late) === states[1])
  }
}
