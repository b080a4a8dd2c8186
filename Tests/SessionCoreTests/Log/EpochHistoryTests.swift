import Testing

@testable import SessionCore

/// S70: for each earlier epoch, the last sequence that it has in common with the present epoch.
@Suite("P3: the history of epochs")
struct EpochHistoryTests {
  @Test(
    "S70 an ended epoch is valid up to the last sequence read from the log; an epoch that is not listed is unknown"
  )
  func end() {
    var history = EpochHistory()
    history.end("a", at: 100)
    #expect(history.lastCommonSequence(with: "a") == 100)
    #expect(history.lastCommonSequence(with: "b") == nil)
    #expect(history.lastCommonSequence(with: "") == nil)
  }

  @Test(
    "S70 if a later epoch ends at a lower sequence, the earlier epochs are valid only up to that sequence")
  func laterEndCaps() {
    var history = EpochHistory()
    history.end("a", at: 100)
    history.end("b", at: 150)
    history.end("c", at: 90)
    #expect(["a", "b", "c"].map { history.lastCommonSequence(with: $0) } == [90, 90, 90])
    history.end("d", at: 200)
    #expect(["a", "b", "c", "d"].map { history.lastCommonSequence(with: $0) } == [90, 90, 90, 200])
  }

  @Test("S70 capping the history at a sequence changes only the epochs that were valid beyond that sequence")
  func cap() {
    var history = EpochHistory()
    history.end("a", at: 10)
    history.end("b", at: 20)
    history.end("c", at: 30)
    history.cap(at: 20)
    #expect(history.pairs.map(\.through) == [10, 20, 20])
    history.cap(at: 0)
    #expect(history.pairs.map(\.through) == [0, 0, 0])
  }

  @Test("S70 the history keeps the newest 64 epochs")
  func limit() {
    var history = EpochHistory()
    for number in 1...70 { history.end("\(number)", at: UInt64(number)) }
    #expect(history.pairs.map(\.epoch) == (7...70).map { "\($0)" })
    #expect(EpochHistory((1...70).map { .init(epoch: "\($0)", through: 1) }).pairs.count == 64)
  }

  @Test(
    "S70 if the log has dropped the entries after the last sequence of an epoch, the history no longer lists this epoch"
  )
  func serving() {
    let history = EpochHistory([
      .init(epoch: "a", through: 9), .init(epoch: "b", through: 10), .init(epoch: "c", through: 11),
    ])
    #expect(history.serving(tailsAfter: 10).pairs.map(\.epoch) == ["b", "c"])
    #expect(history.serving(tailsAfter: 0) == history)
  }

  @Test("S70 an epoch that is listed twice is valid up to the lower of its two sequences")
  func twice() {
    let pairs: [EpochHistory.Pair] = [.init(epoch: "a", through: 7), .init(epoch: "a", through: 9)]
    #expect(EpochHistory(pairs).lastCommonSequence(with: "a") == 7)
    #expect(EpochHistory(pairs.reversed()).lastCommonSequence(with: "a") == 7)
  }
}
