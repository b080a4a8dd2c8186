internal import Storage
internal import Transport

extension Gateway {
  /// What the data folder holds now, counted for so long at most. Blocks the calling thread.
  package func dataFigures(within limit: Duration) -> ReadyNotice.DataFigures {
    let used = shared.data.usedBytes(until: .now() + limit)
    return ReadyNotice.DataFigures(
      sessions: shared.store == nil ? nil : shared.sessionTotal, usedBytes: used.bytes, isWhole: used.isWhole,
      // Without it the line about the disk is a word shorter.
      freeBytes: try? shared.data.freeBytes())
  }
}
