internal import Wire

/// The last sequence that a member has received for each key of one sender. A new entry of the sender replaces its earlier entry
/// with the same key.
final class RetainedSequences {
  /// The number of keys of a sender, used in rotation.
  static let keys = 1_000
  /// The first half of a key, before the number of the sender's socket is added.
  static let prefix: UInt64 = 0x6472_6177_6E62_6E63

  private let prefix: UInt64
  private var newest = [UInt64](repeating: 0, count: keys)

  /// Creates the sequences for the sender with this socket number.
  init(of sender: Int) {
    prefix = Self.prefix &+ UInt64(sender)
  }

  /// Records the sequence of a received entry. Ignores an entry whose key does not belong to this sender.
  func record(_ entry: GatewayEntry) {
    guard entry.key.high == prefix, entry.key.low < UInt64(Self.keys) else { return }
    newest[Int(entry.key.low)] = entry.sequence
  }

  /// Clears all sequences before a snapshot.
  func clear() {
    newest = [UInt64](repeating: 0, count: Self.keys)
  }

  /// A hash of all keys and their sequences (FNV-1a), equal for members with the same entries.
  var digest: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for sequence in newest {
      for shift in stride(from: 0, to: 64, by: 8) {
        hash = (hash ^ (sequence >> UInt64(shift) & 0xFF)) &* 0x100_0000_01B3
      }
    }
    return hash
  }
}
