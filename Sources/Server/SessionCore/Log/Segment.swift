internal import Wire

/// An append-only buffer of WebSocket frames, ready to be sent to anyone.
///
/// Bytes once appended never change and never move within the segment, so a cursor is an offset. A segment is
/// not `Sendable`: it belongs to the reactor that owns its session.
package final class Segment {
  /// One frame of the segment.
  package struct Frame: Sendable, BitwiseCopyable {
    /// Where the frame ends in the segment's bytes; it begins where the one before ends.
    package var end: Int
    /// How long its WebSocket header is.
    package var headerLength: Int
    package var firstSequence: UInt64
    package var lastSequence: UInt64
    package var entryCount: Int
    /// Index into `Segment.targetLists`, or -1 for everybody.
    package var targets: Int
  }

  /// Absolute: it stays valid when older segments go.
  package let number: UInt32
  package private(set) var bytes: [UInt8]
  package private(set) var frames: [Frame] = []
  /// Sorted numbers of those who get a targeted frame, its sender included.
  private(set) var targetLists: [[UInt32]] = []
  /// How many bytes it takes before the next segment is begun.
  let capacity: Int
  /// What it takes in memory, target lists and notes about frames included.
  private(set) var weight = 0
  /// Bytes of entries that no longer count for what is retained (used by base segments only).
  var garbageBytes = 0
  /// The same frames in compressed form, as far as somebody has wanted them (used by base segments only).
  var compressedTwin: Segment?
  /// The senders of its entries, dead ones included (used by base segments only).
  var senders: Set<ParticipantNumber> = []
  /// It was tried, and not worth it.
  var isIncompressible = false
  /// Bytes of the records on disk that end in this segment (used by live segments only).
  var recordBytes = 0

  init(number: UInt32, capacity: Int) {
    self.number = number
    self.capacity = capacity
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  var hasTargetedFrames: Bool { !targetLists.isEmpty }
  /// Everything from here on is for everybody.
  package private(set) var targetedEnd = 0

  func hasRoom(for count: Int) -> Bool {
    bytes.isEmpty || bytes.count + count <= capacity
  }

  /// Appends entries as one binary frame. `targets` are the sorted numbers of those who get it; nil means everybody.
  /// - Returns: bytes of the frame, with four for each target.
  @discardableResult
  func appendFrame(
    _ entries: Span<UInt8>, firstSequence: UInt64, lastSequence: UInt64, entryCount: Int, targets: [UInt32]?
  ) -> Int {
    let before = bytes.count
    FrameHeader.append(.binary, length: entries.count, to: &bytes)
    let headerLength = bytes.count - before
    bytes.append(entries)
    var list = -1
    if let targets {
      list = targetLists.count
      targetLists.append(targets)
      targetedEnd = bytes.count
    }
    weight += bytes.count - before + MemoryLayout<Frame>.stride
    if let targets { weight += 4 * targets.count + 48 }
    frames.append(
      Frame(
        end: bytes.count, headerLength: headerLength, firstSequence: firstSequence,
        lastSequence: lastSequence, entryCount: entryCount, targets: list))
    return bytes.count - before + 4 * (targets?.count ?? 0)
  }

  /// Appends the payload of another segment's frame, as it is or compressed.
  func append(_ payload: Span<UInt8>, like frame: Frame, isCompressed: Bool) {
    let before = bytes.count
    FrameHeader.append(.binary, length: payload.count, isCompressed: isCompressed, to: &bytes)
    let headerLength = bytes.count - before
    bytes.append(payload)
    frames.append(
      Frame(
        end: bytes.count, headerLength: headerLength, firstSequence: frame.firstSequence,
        lastSequence: frame.lastSequence, entryCount: frame.entryCount, targets: -1))
  }

  /// Appends a control message, in a segment that is made for a catch-up.
  func appendControl(_ message: [UInt8]) {
    let before = bytes.count
    FrameHeader.append(.text, length: message.count, to: &bytes)
    let headerLength = bytes.count - before
    bytes.append(contentsOf: message)
    frames.append(
      Frame(
        end: bytes.count, headerLength: headerLength, firstSequence: 0, lastSequence: 0, entryCount: 0,
        targets: -1))
  }

  func isFor(_ number: UInt32, _ frame: Frame) -> Bool {
    guard frame.targets >= 0 else { return true }
    return targetLists[frame.targets].containsSorted(number)
  }

  /// The frame that holds the byte at `offset`: the index of the first one that ends behind it.
  func frameIndex(at offset: Int) -> Int {
    frames.partitionIndex { $0.end > offset }
  }

  func frameStart(_ index: Int) -> Int {
    index == 0 ? 0 : frames[index - 1].end
  }

  /// Whether a frame begins at `offset`, or all of them end there.
  func isBoundary(_ offset: Int) -> Bool {
    if offset == 0 || offset == bytes.count { return true }
    return frameStart(frameIndex(at: offset)) == offset
  }

  /// What is left of the frame that `offset` lies inside of; empty on a boundary.
  func restOfFrame(at offset: Int) -> [UInt8] {
    if isBoundary(offset) { return [] }
    return Array(bytes[offset..<frames[frameIndex(at: offset)].end])
  }

  /// How many entries the frames hold that end in `(from, to]`.
  package func entryCount(from: Int, to end: Int) -> Int {
    var index = frameIndex(at: from)
    var count = 0
    while index < frames.count, frames[index].end <= end {
      count += frames[index].entryCount
      index += 1
    }
    return count
  }
}

extension Array {
  /// The first index whose element satisfies `predicate`, in an array where all behind it do too.
  func partitionIndex(where predicate: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array where Element == UInt32 {
  func containsSorted(_ value: UInt32) -> Bool {
    let index = partitionIndex { $0 >= value }
    return index < count && self[index] == value
  }
}
