internal import Wire

/// What a member holds of a sender's replacing entries: the last sequence under each key.
final class HeldState {
  /// The keys of a sender; its entries replace one another under them in turn.
  static let keys = 1_000
  /// The first half of a sender's keys, less the number of its socket.
  static let prefix: UInt64 = 0x6472_6177_6E62_6E63

  private let prefix: UInt64
  private var newest = [UInt64](repeating: 0, count: keys)

  /// Follows the sender whose socket has that number.
  init(of sender: Int) {
    prefix = Self.prefix &+ UInt64(sender)
  }

  /// Takes an entry in.
  func take(_ entry: GatewayEntry) {
    guard entry.key.high == prefix, entry.key.low < UInt64(Self.keys) else { return }
    newest[Int(entry.key.low)] = entry.sequence
  }

  /// Forgets all: a snapshot follows.
  func clear() {
    newest = [UInt64](repeating: 0, count: Self.keys)
  }

  /// A hash of all keys and their sequences (FNV-1a): equal for members that hold the same.
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
