internal import Primitives
internal import SessionCore
internal import Wire

/// A session restored from arbitrary records.
enum Restoring {
  /// Byte 0 of the input chooses the limits, and whether the log was read completely. The remaining bytes are records.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let choice = reader.byte()
    var limits = Limits()
    limits.catchUpTailBytes = [100, 1_000, 10_000, 4 << 20][Int(choice & 3)]
    limits.pastParticipants = choice & 4 == 0 ? 10_000 : 1
    var disk: [SessionRecord] = []
    for (kind, body) in records(&reader) {
      guard let kind = SessionRecord.Kind(rawValue: kind % 13) else { continue }
      disk.append(SessionRecord(kind: kind, body: body))
    }
    let now = MonotonicTime(nanoseconds: 1_000_000_000)
    let restored: RestoredSession
    do {
      restored = try SessionShell.load(disk, limits, now: now, epoch: "fresh", isWhole: choice & 8 == 0)
    } catch let error as RecordError {
      return try expect(!error.description.isEmpty, "no description of \(error.fault)")
    }
    let shell = SessionShell(restored.takeSession(), disk, now: now)
    // No real session has so many entries.
    guard shell.session.sequence < 1 << 52 else { return }
    shell.open()
    try shell.adopt(restored.uploads)
    try checkGoingOn(shell)
  }

  /// Checks that the restored session works like any other session. Then saves the session and restores it again, and checks that
  /// the state is the same.
  private static func checkGoingOn(_ shell: SessionShell) throws {
    let client = try shell.connect(Join(profile: Profile(name: "A", color: "#000000")))
    try shell.endTurn()
    guard client.isOpen else { return }  // The client is refused if no participant number is left.
    try expect(client.applied != nil, "the new participant is not caught up")
    for (sequence, flags) in [EntryFlags(.reliable, retention: .append), .reliable].enumerated() {
      var message: [UInt8] = []
      ClientEntry.append(
        to: &message, flags: flags, clientSequence: UInt32(sequence + 1), key: EntryKey(high: 1, low: 1),
        type: [0x54].span, payload: [1, 2].span)
      try shell.send(message, from: client)
    }
    try shell.endTurn()
    try shell.saveAll()
    let before = try shell.stateOfNewcomer()
    try shell.saveAll()
    try shell.restart()
    let again = try shell.stateOfNewcomer()
    try expect(again == before, "\(before?.count ?? -1) keys became \(again?.count ?? -1)")
    try shell.saveAll()
    try shell.compact()
    try shell.restart()
    let compacted = try shell.stateOfNewcomer()
    try expect(
      compacted == before, "\(before?.count ?? -1) keys became \(compacted?.count ?? -1) by a compaction")
  }
}
