internal import Glibc
internal import Storage
internal import Synchronization

/// The slots that limit the number of tails in memory. A tail is the part of a log that the history does not have yet. It is in
/// memory while it is sent.
final class HistoryTailSlots: Sendable {
  /// The maximum number of tails in memory. A tail has at most a little more than 1 MiB.
  static let count = 16

  private let used = Atomic(0)

  /// Takes a slot.
  /// - Returns: false if no slot is free.
  func take() -> Bool {
    guard used.add(1, ordering: .relaxed).newValue > Self.count else { return true }
    used.subtract(1, ordering: .relaxed)
    return false
  }

  func release() {
    used.subtract(1, ordering: .relaxed)
  }
}

/// A tail in memory. Its slot becomes free when the last reference to the tail is released.
final class HistoryTail: StoredContent {
  let mark: ContentMark
  private let bytes: [UInt8]
  private let slots: HistoryTailSlots

  /// Creates a tail. The caller has taken a slot for it.
  init(_ bytes: [UInt8], in slots: HistoryTailSlots) {
    self.bytes = bytes
    self.slots = slots
    mark = ContentMark(identity: 0, version: 0, length: UInt64(bytes.count))
  }

  deinit {
    slots.release()
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard let start = Int(exactly: offset), count >= 0, start <= bytes.count - count else {
      throw StorageError(.readHistory, code: ENODATA)
    }
    return Array(bytes[start..<start + count])
  }
}
