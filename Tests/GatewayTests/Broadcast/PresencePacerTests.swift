import SessionCore
import Testing
import Primitives

@testable import Gateway

/// The times at which members get announcements of joins and leaves.
struct PresencePacerTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("a join is announced immediately if no other join was announced within the last 50 ms")
  func atOnce() {
    var pacer = PresencePacer()
    for start in [1_000, 2_000, 2_050] as [Int64] {
      let tells = pacer.includesCaughtUp(.presence, now: at(start))
      #expect(tells)
      #expect(pacer.due == nil)
    }
  }

  @Test(
    "if joins follow each other quickly, they are announced together every 50 ms, and the last joins are announced too"
  )
  func storm() {
    var pacer = PresencePacer()
    var told: [Int64] = []
    for time in Int64(0)..<200 where pacer.includesCaughtUp(.presence, now: at(1_000 + time)) {
      told.append(time)
    }
    #expect(told == [0, 50, 100, 150])
    #expect(pacer.due == at(1_200))
    // The turn at the deadline announces the joins that were delayed. It does so even without a join or a leave in that turn.
    let tells = pacer.includesCaughtUp(.nothing, now: at(1_200))
    #expect(tells)
    #expect(pacer.due == nil)
  }

  @Test(
    "delayed announcements of joins are sent in the next turn with entries, but not in earlier turns without entries"
  )
  func withEntries() {
    var pacer = PresencePacer()
    var tells = [
      pacer.includesCaughtUp(.presence, now: at(1_000)), pacer.includesCaughtUp(.presence, now: at(1_001)),
    ]
    tells.append(pacer.includesCaughtUp(.nothing, now: at(1_002)))
    #expect(tells == [true, false, false])
    let takesAlong = pacer.includesCaughtUp(.entries(withPresence: false), now: at(1_003))
    #expect(takesAlong)
    #expect(pacer.due == nil)
    // The interval of 50 ms begins again when announcements are sent together with entries.
    let again = pacer.includesCaughtUp(.presence, now: at(1_004))
    #expect(!again)
    let withBoth = pacer.includesCaughtUp(.entries(withPresence: true), now: at(1_100))
    #expect(withBoth)
    let next = pacer.includesCaughtUp(.presence, now: at(1_149))
    #expect(!next)
    #expect(pacer.due == at(1_150))
  }

  @Test(
    "entries are always sent in the turn in which they arrive, even while announcements of joins are delayed")
  func entries() {
    var pacer = PresencePacer()
    let tells = (Int64(0)..<100).map {
      pacer.includesCaughtUp($0.isMultiple(of: 3) ? .presence : .entries(withPresence: false), now: at($0))
    }
    for (index, told) in tells.enumerated() where !index.isMultiple(of: 3) { #expect(told) }
  }
}
