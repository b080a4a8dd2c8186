/// The effect of an entry on the retained entries of its key.
@usableFromInline
package enum Retention: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// The entry is not retained and has no key.
  case none
  /// The entry is added to the retained entries of its key, as the last of them.
  case append
  /// The entry replaces the retained entries of the key.
  case replace
  /// The retained entries of the key are removed; the payload is empty.
  case remove
}

/// The second field of every entry: its order, delivery and retention.
@frozen @usableFromInline
package struct EntryFlags: OptionSet, Sendable, BitwiseCopyable, Hashable {
  /// The byte on the wire.
  @usableFromInline
  package let rawValue: UInt8

  /// Wraps a byte of the wire, including unknown bits.
  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The entry is ordered, and delivered once to every participant who does not leave.
  @inlinable
  package static var reliable: EntryFlags { EntryFlags(rawValue: 1 << 0) }
  /// The entry is for the listed participants only.
  @inlinable
  package static var targeted: EntryFlags { EntryFlags(rawValue: 1 << 3) }
  /// The sender has encrypted the payload.
  @inlinable
  package static var sealed: EntryFlags { EntryFlags(rawValue: 1 << 4) }
  /// On an entry from a client: the entry takes effect only if the key has retained entries. On an entry from the gateway: the
  /// entry had no effect, because the key had no retained entries.
  @inlinable
  package static var existing: EntryFlags { EntryFlags(rawValue: 1 << 5) }
  /// A reserved bit, always 0.
  @inlinable
  package static var reserved: EntryFlags { EntryFlags(rawValue: 1 << 6) }
  /// The gateway itself sent the entry.
  @inlinable
  package static var system: EntryFlags { EntryFlags(rawValue: 1 << 7) }

  /// Bits 1 and 2: the effect on the retained entries of the key.
  @inlinable
  package var retention: Retention {
    get {
      switch rawValue >> 1 & 3 {
      case 0: .none
      case 1: .append
      case 2: .replace
      default: .remove
      }
    }
    set { self = EntryFlags(rawValue: rawValue & ~0b110 | newValue.rawValue << 1) }
  }

  /// Creates flags with a retention.
  @inlinable
  package init(_ flags: EntryFlags, retention: Retention) {
    self = flags
    self.retention = retention
  }
}
