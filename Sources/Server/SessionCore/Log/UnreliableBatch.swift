internal import Wire

/// The unreliable entries of one turn, as one immutable buffer, at most 256 KiB: who is at the tail and can be written
/// to gets it, all others get nothing of it. The `committed` message of the turn rides along.
struct UnreliableBatch {
  static let limit = 262_144
  /// The bytes that targeted ones come to, counted once for each target.
  static let targetedLimit = 4_194_304

  /// Frames for everybody.
  private(set) var frames: [UInt8] = []
  private(set) var entryCount = 0
  /// Where the frames end, so that the rest of a begun one can be kept.
  private(set) var ends: [Int] = []
  /// Frames for some, by who gets them.
  private(set) var targeted: [UInt32: (frames: [UInt8], entries: Int)] = [:]

  /// What is told apart when there is room for the newest only.
  private struct Stream: Hashable {
    var sender: ParticipantNumber
    var type: [UInt8]
    var targets: [UInt32]?
  }
  private var pending: [(targets: [UInt32]?, entry: [UInt8])] = []
  /// Where the newest of each stream is.
  private var newest: [Stream: Int] = [:]
  private var pendingBytes = 0
  private var targetedBytes = 0

  var isEmpty: Bool { frames.isEmpty && targeted.isEmpty }
  var hasPending: Bool { !pending.isEmpty }

  /// Takes one more; when there is no room, it takes the place of the newest of the same sender, type and targets.
  /// - Returns: how many entries were dropped.
  mutating func add(
    sender: ParticipantNumber, type: [UInt8], targets: [UInt32]?, entry: [UInt8]
  ) -> Int {
    let stream = Stream(sender: sender, type: type, targets: targets)
    let cost = entry.count * (targets?.count ?? 0)
    if pendingBytes + entry.count <= Self.limit, targetedBytes + cost <= Self.targetedLimit {
      newest[stream] = pending.count
      pending.append((targets, entry))
      pendingBytes += entry.count
      targetedBytes += cost
      return 0
    }
    guard let place = newest[stream], entry.count <= pending[place].entry.count else { return 1 }
    let less = pending[place].entry.count - entry.count
    pendingBytes -= less
    targetedBytes -= less * (targets?.count ?? 0)
    pending[place].entry = entry
    return 1
  }

  /// Takes an entry of the gateway's own, whatever clients filled the turn with: one for each upload at most.
  mutating func addSystem(_ entry: [UInt8]) {
    pending.append((nil, entry))
  }

  /// Makes the buffer of this turn out of what came in it, and forgets the last turn's.
  mutating func close(committed: [UInt8]) {
    guard hasPending || !committed.isEmpty || !isEmpty else { return }
    frames = []
    ends = []
    targeted = [:]
    targetedBytes = 0
    entryCount = 0
    var entries: [UInt8] = []
    for item in pending {
      if let targets = item.targets {
        var frame: [UInt8] = []
        FrameHeader.append(.binary, length: item.entry.count, to: &frame)
        frame.append(contentsOf: item.entry)
        for target in targets {
          targeted[target, default: ([], 0)].frames.append(contentsOf: frame)
          targeted[target, default: ([], 0)].entries += 1
        }
      } else {
        entries.append(contentsOf: item.entry)
        entryCount += 1
      }
    }
    if !entries.isEmpty {
      FrameHeader.append(.binary, length: entries.count, to: &frames)
      frames.append(contentsOf: entries)
      ends.append(frames.count)
    }
    if !committed.isEmpty {
      FrameHeader.append(.text, length: committed.count, to: &frames)
      frames.append(contentsOf: committed)
      ends.append(frames.count)
    }
    pending.removeAll(keepingCapacity: true)
    newest.removeAll(keepingCapacity: true)
    pendingBytes = 0
  }

  /// Gives back the room of the last turn, which all have been sent; nothing is pending.
  mutating func releaseRoom() {
    guard pending.isEmpty else { return }
    self = UnreliableBatch()
  }

  /// What is left of the frame that `offset` lies inside of.
  func restOfFrame(at offset: Int) -> [UInt8] {
    guard offset > 0, !ends.contains(offset), let end = ends.first(where: { $0 > offset }) else { return [] }
    return Array(frames[offset..<end])
  }
}
