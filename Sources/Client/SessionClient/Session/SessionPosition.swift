/// The client's position in the session's order of entries.
struct SessionPosition: Sendable {
  /// The sequence up to which all entries were delivered, and the epoch of this sequence.
  struct Delivered: Equatable, Sendable {
    var sequence: UInt64
    var epoch: String
  }

  /// The epoch in the last `joined`.
  private(set) var epoch = ""
  /// The sequence up to which all entries of `epoch` are on the gateway's disk.
  private(set) var committed: UInt64 = 0
  /// The sequence of the last snapshot.
  private(set) var snapshotSequence: UInt64 = 0
  /// The position up to which entries were delivered; nil if the next catch-up must be a snapshot. The epoch of this position
  /// differs from `epoch` only between `joined` and `catchUp` after a crash of the gateway.
  private(set) var delivered: Delivered?

  /// Records the epoch in `joined`. The delivered sequence keeps its own epoch: `catchUp` shows whether the delivered sequence is
  /// valid in the new epoch.
  ///
  /// - Returns: true if the epoch is the same as before.
  mutating func join(epoch: String) -> Bool {
    guard epoch != self.epoch else { return true }
    self.epoch = epoch
    committed = 0
    return false
  }

  /// Records that all entries up to a sequence are on the gateway's disk.
  mutating func commit(_ sequence: UInt64) {
    committed = max(committed, sequence)
  }

  /// Begins a snapshot. Until the snapshot ends, there is no position from which a tail could continue.
  mutating func beginSnapshot(at sequence: UInt64) {
    delivered = nil
    snapshotSequence = sequence
  }

  /// Begins a tail. A tail means that the current epoch begins with the entries that were already delivered.
  mutating func beginTail() {
    delivered?.epoch = epoch
  }

  /// Records a reliable entry. During a snapshot, the state is complete only at the snapshot's end (wire protocol, section 2.1),
  /// so this function records nothing.
  mutating func deliver(_ sequence: UInt64) {
    guard let delivered, delivered.epoch == epoch, sequence > delivered.sequence else { return }
    self.delivered?.sequence = sequence
  }

  /// Ends a catch-up.
  mutating func endCatchUp(at sequence: UInt64) {
    delivered = Delivered(sequence: max(delivered?.sequence ?? 0, sequence), epoch: epoch)
  }

  /// Makes the next catch-up a snapshot.
  mutating func requireSnapshot() {
    delivered = nil
  }
}
