import Testing

@testable import SessionClient

@Suite("SessionPosition tracks the position of a client in a session's order of entries")
struct SessionPositionTests {
  /// Returns a position after a complete snapshot at sequence 10 in epoch `e`.
  private static func caughtUp() -> SessionPosition {
    var position = SessionPosition()
    _ = position.join(epoch: "e")
    position.beginSnapshot(at: 10)
    position.endCatchUp(at: 10)
    return position
  }

  @Test("The delivered sequence is unset during a snapshot, and set to the snapshot's sequence at its end")
  func snapshot() {
    var position = SessionPosition()
    let isFirstEpochKnown = position.join(epoch: "e")
    #expect(!isFirstEpochKnown)
    position.beginSnapshot(at: 10)
    position.deliver(4)
    #expect(position.delivered == nil)
    position.endCatchUp(at: 10)
    #expect(position.delivered == .init(sequence: 10, epoch: "e"))
    #expect(position.snapshotSequence == 10)
  }

  @Test(
    "After a snapshot, an entry raises the delivered sequence, and an entry with a lower sequence changes nothing"
  )
  func live() {
    var position = Self.caughtUp()
    position.deliver(12)
    position.deliver(11)
    #expect(position.delivered?.sequence == 12)
    let isSameEpoch = position.join(epoch: "e")
    #expect(isSameEpoch)
    position.requireSnapshot()
    #expect(position.delivered == nil)
  }

  @Test(
    "After a join in a new epoch, `committed` is 0, and `delivered` stays in the old epoch until a tail begins"
  )
  func newEpoch() {
    var position = Self.caughtUp()
    position.commit(8)
    position.commit(7)
    #expect(position.committed == 8)
    let isSameEpoch = position.join(epoch: "f")
    #expect(!isSameEpoch)
    #expect(position.committed == 0)
    position.deliver(12)
    #expect(position.delivered == .init(sequence: 10, epoch: "e"))
    position.beginTail()
    position.deliver(11)
    #expect(position.delivered == .init(sequence: 11, epoch: "f"))
  }
}
