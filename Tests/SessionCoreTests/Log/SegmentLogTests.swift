import Testing
import Wire

@testable import SessionCore

@Suite("SegmentLog stores the entries of a session in frames")
struct SegmentLogTests {
  /// Appends an entry of `count` payload bytes and checks the sequence and the length that the log returns.
  @discardableResult
  private func append(
    _ count: Int, targets: [ParticipantNumber]? = nil, to log: inout SegmentLog
  ) -> UInt64 {
    let before = log.lastSequence
    let (sequence, length) = log.append(
      flags: .reliable, sender: 1, clientSequence: 1, key: .zero, type: [84].span,
      payload: [UInt8](repeating: 7, count: count).span, targets: targets)
    #expect(sequence == before + 1)
    #expect(length == GatewayEntry.fixedLength + 1 + count)
    return sequence
  }

  @Test("The entries of a run share one frame, which is complete when the run is closed")
  func run() {
    var log = SegmentLog(tailBytes: 1 << 20)
    for _ in 0..<3 { append(10, to: &log) }
    #expect(log.hasOpenRun && log.unsavedBytes == 3 * (GatewayEntry.fixedLength + 11))
    #expect(log.tailSegment.frames.isEmpty)
    log.closeRun()
    #expect(!log.hasOpenRun)
    #expect(log.tailSegment.frames.map(\.entryCount) == [3])
    #expect(log.tailSegment.frames.map(\.firstSequence) == [1])
    #expect(log.tailSegment.frames.map(\.lastSequence) == [3])
  }

  @Test("A targeted entry has a frame of its own, between the frames of the entries before and after it")
  func targeted() {
    var log = SegmentLog(tailBytes: 1 << 20)
    append(1, to: &log)
    append(1, targets: [1, 2], to: &log)
    append(1, to: &log)
    log.closeRun()
    let frames = log.tailSegment.frames
    #expect(frames.map(\.entryCount) == [1, 1, 1])
    #expect(frames.map { $0.targets >= 0 } == [false, true, false])
    #expect(frames.map(\.lastSequence) == [1, 2, 3])
  }

  @Test("A run is closed when it has 64 KiB, and before an entry that would make it larger than that")
  func full() {
    var log = SegmentLog(tailBytes: 1 << 20)
    append(40_000, to: &log)
    append(40_000, to: &log)
    #expect(log.tailSegment.frames.map(\.entryCount) == [1])
    append(100_000, to: &log)
    #expect(!log.hasOpenRun)
    log.closeRun()
    #expect(log.segments.flatMap(\.frames).map(\.lastSequence) == [1, 2, 3])
  }

  @Test(
    "An entry of the gateway has sender 0, and the flag `system` unless its key is in the clients' key space")
  func system() throws {
    var log = SegmentLog(tailBytes: 1 << 20)
    log.append(system: "notice", payload: [1])
    let key = RetainedKey(key: EntryKey(high: 1, low: 2), isSystem: false)
    log.append(system: "attachment", retention: .remove, key: key, payload: [])
    log.closeRun()
    var entries: [(flags: EntryFlags, sender: ParticipantNumber, key: RetainedKey)] = []
    log.tailSegment.forEachEntry { entries.append(($0.flags, $0.sender, $0.retainedKey)) }
    try #require(entries.count == 2)
    #expect(entries[0].flags == [.reliable, .system] && entries[0].sender == 0)
    #expect(entries[1].flags == EntryFlags(.reliable, retention: .remove) && entries[1].sender == 0)
    #expect(entries[1].key == key)
  }
}
