internal import Wire
internal import WebSocket

/// The unreliable entries of one turn, as one immutable buffer of at most 256 KiB. Only members at the tail, which have received
/// the whole log, get the batch, and only if their sockets accept bytes. The `committed` message of the turn piggybacks on the
/// batch.
struct UnreliableBatch {
  static let limit = 262_144
  /// The maximum number of bytes of targeted entries, where an entry counts once for each target.
  static let targetedLimit = 4_194_304

  /// The frames of this turn that all members at the tail receive: the same bytes for each member.
  private(set) var frames: [UInt8] = []
  private(set) var entryCount = 0
  /// The ends of the frames, used to find the rest of a partly sent frame.
  private(set) var ends: [Int] = []
  /// The targeted frames, by the number of the participant that gets them.
  private(set) var targeted: [UInt32: (frames: [UInt8], entries: Int)] = [:]

  /// A stream: the entries with the same sender, type and targets. In a full batch, a new entry replaces the newest one of its
  /// stream.
  private struct Stream: Hashable {
    var sender: ParticipantNumber
    var type: [UInt8]
    var targets: [UInt32]?
  }
  private var pending: [(targets: [UInt32]?, entry: [UInt8])] = []
  /// The index in `pending` of the newest entry of each stream.
  private var newest: [Stream: Int] = [:]
  private var pendingBytes = 0
  private var targetedBytes = 0

  var isEmpty: Bool { frames.isEmpty && targeted.isEmpty }
  var hasPending: Bool { !pending.isEmpty }

  /// Adds an entry. If there is no room, the new entry replaces the newest one of the same sender, type and targets. If there
  /// is no such entry, or the new entry is longer, the new entry is dropped.
  /// - Returns: the number of dropped entries; a replaced entry counts as dropped.
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

  /// Adds an entry of the gateway itself, even if the batch is full. The gateway adds at most one such entry for each upload.
  mutating func addSystem(_ entry: [UInt8]) {
    pending.append((nil, entry))
  }

  /// Builds the frames of this turn from the collected entries, and drops the frames of the last turn.
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

  /// Frees the memory of the last turn's frames, unless entries wait for the next batch.
  mutating func releaseRoom() {
    guard pending.isEmpty else { return }
    self = UnreliableBatch()
  }

  /// Returns the rest of the frame that contains `offset`.
  func restOfFrame(at offset: Int) -> [UInt8] {
    guard offset > 0, !ends.contains(offset), let end = ends.first(where: { $0 > offset }) else { return [] }
    return Array(frames[offset..<end])
  }
}
