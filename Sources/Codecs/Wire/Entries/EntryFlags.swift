/// What an entry does to the session besides being delivered.
package enum Retention: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// Nothing is kept; the entry has no key.
  case none
  /// Kept behind what is already held under the key.
  case append
  /// Kept instead of what is held under the key.
  case replace
  /// Forgets the key; the payload is empty.
  case remove
}

/// The second field of every entry: how it is ordered, delivered and kept.
package struct EntryFlags: OptionSet, Sendable, BitwiseCopyable, Hashable {
  /// The byte as it is on the wire.
  package let rawValue: UInt8

  /// Takes the byte as it is on the wire, unknown bits included.
  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Ordered, and delivered once to everyone who stays.
  @inlinable
  package static var reliable: EntryFlags { EntryFlags(rawValue: 1 << 0) }
  /// For the listed participants only.
  @inlinable
  package static var targeted: EntryFlags { EntryFlags(rawValue: 1 << 3) }
  /// The payload is encrypted by its sender.
  @inlinable
  package static var sealed: EntryFlags { EntryFlags(rawValue: 1 << 4) }
  /// From a client: only if the key is held. From the gateway: this entry changed nothing.
  @inlinable
  package static var existing: EntryFlags { EntryFlags(rawValue: 1 << 5) }
  /// Has no meaning yet and is 0.
  @inlinable
  package static var reserved: EntryFlags { EntryFlags(rawValue: 1 << 6) }
  /// From the gateway itself.
  @inlinable
  package static var system: EntryFlags { EntryFlags(rawValue: 1 << 7) }

  /// Bits 1 and 2: what happens under the entry's key.
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

  /// Flags with a retention set, for whoever builds an entry.
  @inlinable
  package init(_ flags: EntryFlags, retention: Retention) {
    self = flags
    self.retention = retention
  }
}
