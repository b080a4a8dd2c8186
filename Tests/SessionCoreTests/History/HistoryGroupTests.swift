import FoundationEssentials
import Testing
import Wire

@testable import SessionCore

/// The entries of a session's history, made from the records of its log.
@Suite("The history contains the entries that changed retained entries, and those of the gateway")
struct HistoryGroupTests {
  /// Returns an entry as on the wire.
  private static func entry(
    _ sequence: UInt64, _ flags: EntryFlags, key: UInt64 = 0, sender: ParticipantNumber = 1,
    payload: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    GatewayEntry.append(
      to: &bytes, flags: flags, sequence: sequence, sender: sender, clientSequence: UInt32(sequence),
      key: EntryKey(high: 0, low: key), type: "T".utf8.span, payload: payload.span)
    return bytes
  }

  /// Returns the body of a run with one frame for all participants.
  private static func run(_ entries: [UInt8]..., targets: [ParticipantNumber]? = nil) -> [UInt8] {
    let all = Array(entries.joined())
    var body: [UInt8] = []
    RunFrames.append(targets: targets, length: all.count, to: &body)
    return body + all
  }

  private static let replace = EntryFlags(.reliable, retention: .replace)
  private static let append = EntryFlags(.reliable, retention: .append)
  private static let remove = EntryFlags(.reliable, retention: .remove)

  @Test("messages without retention or effect and targeted entries are omitted; their sequences are covered")
  func filters() throws {
    let kept = [
      Self.entry(2, Self.replace, key: 1), Self.entry(4, Self.remove, key: 1),
      Self.entry(6, [.reliable, .system], sender: 0),
    ]
    let body =
      Self.run(
        Self.entry(1, .reliable), kept[0],
        Self.entry(3, EntryFlags([.reliable, .existing], retention: .append), key: 9), kept[1])
      + Self.run(Self.entry(5, [.reliable, .targeted]), targets: [1])
      + Self.run(kept[2], Self.entry(7, .reliable))
    let groups = try HistoryGroup.groups(inRun: body.span, after: 0, time: 5)
    let group = try #require(groups.first)
    #expect(groups.count == 1)
    #expect(group.first == 1 && group.last == 7 && group.time == 5)
    #expect(group.entries == Array(kept.joined()))
    #expect(group.senders == [1: 2, 0: 1])
    #expect(group.entryCount == 3)
  }

  @Test("entries up to a sequence are skipped, so that a repeated run adds nothing")
  func repeats() throws {
    let body = Self.run(Self.entry(1, Self.append, key: 1), Self.entry(2, Self.append, key: 1))
    let groups = try HistoryGroup.groups(inRun: body.span, after: 1, time: nil)
    #expect(groups.map(\.first) == [2])
    #expect(groups.map(\.entries) == [Self.entry(2, Self.append, key: 1)])
    #expect(try HistoryGroup.groups(inRun: body.span, after: 2, time: nil).isEmpty)
  }

  @Test("a long run becomes several groups without a gap between them")
  func splits() throws {
    let payload = [UInt8](repeating: 7, count: 30_000)
    var body: [UInt8] = []
    for sequence in 1...5 as ClosedRange<UInt64> {
      body += Self.run(Self.entry(sequence, Self.replace, key: sequence, payload: payload))
    }
    let groups = try HistoryGroup.groups(inRun: body.span, after: 0, time: nil)
    #expect(groups.map(\.first) == [1, 3, 5])
    #expect(groups.map(\.last) == [2, 4, 5])
    #expect(groups.allSatisfy { $0.entries.count <= HistoryGroup.groupBytes })
  }

  @Test("a group begins with a system entry that has its sequences and its time")
  func mark() throws {
    let entry = Self.entry(3, Self.replace, key: 1)
    let group = try #require(
      try HistoryGroup.groups(inRun: Self.run(entry).span, after: 0, time: 1_000).first)
    var bytes: [UInt8] = []
    group.append(to: &bytes)
    let mark = try GatewayEntry.parse(bytes.span, at: 0)
    #expect(mark.sequence == 0 && mark.sender == 0 && mark.flags == [.reliable, .system])
    #expect(Array(bytes[mark.type]) == Array("history".utf8))
    #expect(Array(bytes[mark.payload]) == Array(#"{"from":3,"to":3,"time":1000}"#.utf8))
    #expect(Array(bytes[mark.end...]) == entry)
    var state: [UInt8] = []
    HistoryMark.state(sequence: 9, time: nil).append(to: &state)
    let stateMark = try GatewayEntry.parse(state.span, at: 0)
    #expect(Array(state[stateMark.payload]) == Array(#"{"state":9}"#.utf8))
  }

  @Test("a run that no session wrote is an error")
  func faults() {
    let body: [UInt8] = [0, 0, 0, 30, 0xFF, 0xFF, 0xFF, 0xFF, 1]
    #expect(throws: RecordError.self) { _ = try HistoryGroup.groups(inRun: body.span, after: 0, time: nil) }
  }

  @Test("a fold finds the retained entries: the last replacement of each key, and the entries appended to it")
  func folds() throws {
    let entries = [
      Self.entry(1, Self.append, key: 1), Self.entry(2, Self.append, key: 1),
      Self.entry(3, Self.append, key: 2), Self.entry(4, Self.replace, key: 1),
      Self.entry(5, Self.append, key: 1), Self.entry(6, Self.remove, key: 2),
      Self.entry(7, Self.append, key: 3), Self.entry(8, Self.remove, key: 3),
      Self.entry(9, Self.append, key: 3), Self.entry(10, .reliable),
      // The same key in the key space of the gateway's own entries.
      Self.entry(11, EntryFlags([.reliable, .system], retention: .replace), key: 2, sender: 0),
    ]
    let bytes = Array(entries.joined())
    var fold = RetainedFold()
    try fold.apply(bytes.span)
    let found = try fold.ranges(in: bytes.span).flatMap { bytes[$0] }
    #expect(found == Array([entries[3], entries[4], entries[8], entries[10]].joined()))
    let cut: [UInt8] = [0, 0, 0, 9]
    #expect(throws: RecordError.self) { try fold.apply(cut.span) }
  }
}
