internal import Wire
internal import WebSocket

/// An append-only buffer of WebSocket frames that may be written to any subscriber.
///
/// Its bytes never change or move, so a cursor can store its position as an offset. A segment is not `Sendable`: it belongs to
/// the reactor of its session.
///
/// The arrays of bytes and frames are changed only by `change`, which swaps them into local variables. Other modules read them
/// through computed properties. So the compiler sees all accesses to the arrays, and can remove the run-time exclusivity checks.
package final class Segment {
  /// One frame of the segment.
  package struct Frame: Sendable, BitwiseCopyable {
    // The properties have small types to save memory, because there is one `Frame` for each frame of a segment.
    package let firstSequence: UInt64
    package let lastSequence: UInt64
    private let storedEnd: UInt32
    private let storedEntryCount: UInt32
    private let storedTargets: Int32
    private let storedHeaderLength: UInt8

    /// The end of the frame in the segment's bytes. The frame begins at the end of the previous frame.
    package var end: Int { Int(storedEnd) }
    /// The length of the frame's WebSocket header.
    package var headerLength: Int { Int(storedHeaderLength) }
    package var entryCount: Int { Int(storedEntryCount) }
    /// An index into `Segment.targetLists`, or -1 if the frame is for every participant.
    package var targets: Int { Int(storedTargets) }

    init(
      end: Int, headerLength: Int, firstSequence: UInt64, lastSequence: UInt64, entryCount: Int, targets: Int
    ) {
      self.firstSequence = firstSequence
      self.lastSequence = lastSequence
      storedEnd = UInt32(end)
      storedEntryCount = UInt32(entryCount)
      storedTargets = Int32(targets)
      storedHeaderLength = UInt8(headerLength)
    }
  }

  /// The number of the segment. It is absolute, so it stays valid when older segments are dropped.
  package let number: UInt32
  package var bytes: [UInt8] { content }
  package var frames: [Frame] { descriptions }
  private var content: [UInt8]
  private var descriptions: [Frame] = []
  /// For each targeted frame, the sorted numbers of the participants that get the frame, including the sender.
  private(set) var targetLists: [[UInt32]] = []
  /// The size in bytes beyond which new frames go into the next segment.
  let capacity: Int
  /// Bytes in memory, including target lists and frame descriptions.
  private(set) var weight = 0
  /// Bytes of entries that are no longer retained (snapshot segments only).
  var garbageBytes = 0
  /// The compressed form of the first frames, made when a subscriber needs it (snapshot segments only).
  var compressedTwin: Segment?
  /// The senders of the entries, garbage included (snapshot segments only).
  var senders: Set<ParticipantNumber> = []
  /// True if compression was tried and was not worthwhile.
  var isIncompressible = false
  /// The disk space in bytes of the records whose last entry is in this segment (segments of the log only).
  var recordBytes = 0

  init(number: UInt32, capacity: Int) {
    self.number = number
    self.capacity = capacity
    var content: [UInt8] = []
    content.reserveCapacity(capacity)
    self.content = content
  }

  var hasTargetedFrames: Bool { !targetLists.isEmpty }
  /// The end of the last targeted frame: all frames after it are for every participant.
  package var targetedEnd: Int { targetsEnd }
  private var targetsEnd = 0

  func hasRoom(for count: Int) -> Bool {
    bytes.isEmpty || bytes.count + count <= capacity
  }

  /// Appends entries as one binary frame. `targets` are the sorted numbers of the participants that get the frame; nil means
  /// every participant.
  /// - Returns: the number of bytes of the frame, plus four for each target.
  @discardableResult
  func appendFrame(
    _ entries: Span<UInt8>, firstSequence: UInt64, lastSequence: UInt64, entryCount: Int, targets: [UInt32]?
  ) -> Int {
    let before = content.count
    let list = targets == nil ? -1 : targetLists.count
    change { bytes, frames in
      FrameHeader.append(.binary, length: entries.count, to: &bytes)
      let headerLength = bytes.count - before
      bytes.append(entries)
      frames.append(
        Frame(
          end: bytes.count, headerLength: headerLength, firstSequence: firstSequence,
          lastSequence: lastSequence, entryCount: entryCount, targets: list))
    }
    let length = content.count - before
    weight += length + MemoryLayout<Frame>.stride
    guard let targets else { return length }
    targetLists.append(targets)
    targetsEnd = content.count
    weight += 4 * targets.count + 48
    return length + 4 * targets.count
  }

  /// Appends the payload of another segment's frame, compressed or uncompressed.
  func append(_ payload: Span<UInt8>, like frame: Frame, isCompressed: Bool) {
    change { bytes, frames in
      let before = bytes.count
      FrameHeader.append(.binary, length: payload.count, isCompressed: isCompressed, to: &bytes)
      let headerLength = bytes.count - before
      bytes.append(payload)
      frames.append(
        Frame(
          end: bytes.count, headerLength: headerLength, firstSequence: frame.firstSequence,
          lastSequence: frame.lastSequence, entryCount: frame.entryCount, targets: -1))
    }
  }

  /// Appends a control message to a segment of a catch-up.
  func appendControl(_ message: [UInt8]) {
    change { bytes, frames in
      let before = bytes.count
      FrameHeader.append(.text, length: message.count, to: &bytes)
      let headerLength = bytes.count - before
      bytes.append(contentsOf: message)
      frames.append(
        Frame(
          end: bytes.count, headerLength: headerLength, firstSequence: 0, lastSequence: 0, entryCount: 0,
          targets: -1))
    }
  }

  /// Swaps the bytes and frames into local variables, calls the closure to change them there, and swaps them back.
  @inline(__always)
  private func change(_ change: (inout [UInt8], inout [Frame]) -> Void) {
    var (bytes, frames): ([UInt8], [Frame]) = ([], [])
    swap(&bytes, &content)
    swap(&frames, &descriptions)
    change(&bytes, &frames)
    swap(&bytes, &content)
    swap(&frames, &descriptions)
  }

  func isFor(_ number: UInt32, _ frame: Frame) -> Bool {
    guard frame.targets >= 0 else { return true }
    return targetLists[frame.targets].containsSorted(number)
  }

  /// Returns the index of the frame that contains the byte at `offset`: the first frame whose end is greater than `offset`.
  func frameIndex(at offset: Int) -> Int {
    frames.partitionIndex { $0.end > offset }
  }

  func frameStart(_ index: Int) -> Int {
    index == 0 ? 0 : frames[index - 1].end
  }

  /// Returns true if `offset` is a frame boundary.
  func isBoundary(_ offset: Int) -> Bool {
    if offset == 0 || offset == bytes.count { return true }
    return frameStart(frameIndex(at: offset)) == offset
  }

  /// Returns the rest of the frame that contains `offset`; empty if `offset` is a frame boundary.
  func restOfFrame(at offset: Int) -> [UInt8] {
    if isBoundary(offset) { return [] }
    return Array(bytes[offset..<frames[frameIndex(at: offset)].end])
  }

  /// Returns the number of entries in the frames that end in `(from, to]`.
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
  /// Returns the first index whose element satisfies `predicate`. All later elements must satisfy it too.
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
