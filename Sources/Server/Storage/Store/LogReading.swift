package import FoundationEssentials

/// The end of a session's records as found by a store. Only the same store can interpret the value.
package struct LogPosition: Sendable {
  /// The position, as a value of a type that only the store knows.
  package let value: any Sendable

  /// Creates a position from a value of the store's own type.
  package init(_ value: any Sendable) {
    self.value = value
  }
}

/// The result of reading all records of a session.
package struct LogReading: Sendable {
  /// The position after the last record. A store needs it in `adopt` to detect changes of the log after the read.
  package var position: LogPosition
  /// The size of the records in bytes.
  package var byteCount: Int
  /// The time of the last change of the records. Restoring a backup counts as a change.
  package var changed: Date
  /// The damage that was found, by rising offset.
  package var faults: [LogFault] = []

  /// Creates the result of reading records without damage.
  package init(position: LogPosition, byteCount: Int, changed: Date) {
    self.position = position
    self.byteCount = byteCount
    self.changed = changed
  }

  /// True if the last record is complete and undamaged.
  package var isWhole: Bool { faults.last.map { !$0.isAtEnd } ?? true }
  /// True if there is damage other than an incomplete last record.
  package var isDamaged: Bool { faults.contains { $0.kind != .torn } }
  /// True if records are lost.
  package var hasLosses: Bool { faults.contains { $0.isLoss } }
  /// The number of lost bytes after the last readable record.
  package var lostTail: Int { faults.last.map { $0.kind == .broken ? $0.range.count : 0 } ?? 0 }
}

/// Damage that was found while the records of a session were read.
package struct LogFault: Equatable, Sendable, CustomStringConvertible {
  /// The kinds of damage.
  package enum Kind: Equatable, Sendable {
    /// The frame of a record is damaged, but the record could be read.
    case repaired
    /// Records are lost, but readable records follow.
    case lost
    /// The last record is incomplete: its writer was interrupted.
    case torn
    /// All records from this offset on are lost.
    case broken
  }

  /// The kind of the damage.
  package var kind: Kind
  /// The range of the damaged bytes in the stored records.
  package var range: Range<Int>

  /// Creates a description of damage.
  package init(_ kind: Kind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// True if records are lost.
  package var isLoss: Bool { kind == .lost || kind == .broken }
  /// True if no readable record follows this damage.
  package var isAtEnd: Bool { kind == .torn || kind == .broken }

  package var description: String {
    switch kind {
    case .repaired, .lost: SkippedBytes(range: range, isLost: kind == .lost).description
    case .torn: LogDamage.torn.description
    case .broken: LogDamage.broken.description
    }
  }
}

/// The last record of a session, and the size of all its records.
package struct LogSummary: Sendable {
  /// The number of the last record's kind, and the record's body; nil if there is no record, or the last one is incomplete or
  /// damaged.
  package var last: (kind: UInt8, body: [UInt8])?
  /// The time of the last append.
  package var modified: Date
  /// The size of all records in bytes.
  package var byteCount: Int

  /// Creates a summary from its parts.
  package init(last: (kind: UInt8, body: [UInt8])?, modified: Date, byteCount: Int) {
    self.last = last
    self.modified = modified
    self.byteCount = byteCount
  }
}
