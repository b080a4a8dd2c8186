package import FoundationEssentials

/// The damage at the end of a log.
package enum LogDamage: Equatable, Sendable, CustomStringConvertible {
  /// The file ends within a record, because the process or the machine stopped during the write.
  case torn
  /// The length or the CRC of a record is wrong, and no reliable record follows.
  case broken

  package var description: String {
    switch self {
    case .torn: "the last record is incomplete"
    case .broken: "a record fails its check (length or CRC), and no record after it is reliable"
    }
  }
}

/// Damaged bytes in a log. Readable records follow them.
package struct SkippedBytes: Equatable, Sendable, CustomStringConvertible {
  /// The range of the bytes in the file.
  package var range: Range<Int>
  /// True if a record is lost; false if the record was read and only its frame is damaged.
  package var isLost: Bool

  package var description: String {
    isLost
      ? "\(range.count) bytes fail their check (length or CRC) and are lost; the records after them can be read"
      : "the frame of a record is damaged, but the record itself can be read"
  }
}

/// The result of reading a log.
package struct LogEnd: Equatable, Sendable {
  /// The end of the last complete record.
  package var offset: Int
  /// The CRC of the last complete record. The computation of the next record's CRC starts from this CRC.
  package var chain: UInt32
  /// The length of the file in bytes.
  package var length: Int
  /// The time of the last change of the file or its attributes. In a copy or a restored backup, this is the time of the copy.
  package var changed: Date
  /// The positions of some `run` records, which a compaction needs.
  package var marks: LogMarks
  /// The damage after `offset`; nil if the file ends at `offset`.
  package var damage: LogDamage?
  /// The damaged ranges before `offset`, by rising offset.
  package var skipped: [SkippedBytes] = []

  /// True when the log has a fault other than an incomplete last record.
  package var isDamaged: Bool { !skipped.isEmpty || damage == .broken }

  /// The ranges of the damaged bytes whose records are lost, by rising offset.
  package var lost: [Range<Int>] {
    skipped.filter(\.isLost).map(\.range) + (damage == .broken ? [offset..<length] : [])
  }
}

/// The last record of a log.
package struct LastRecord: Equatable, Sendable {
  /// The number of the record's kind.
  package var kind: UInt8
  /// The body of the record.
  package var body: [UInt8]
  /// The time of the last write to the log.
  package var modified: Date
  /// The length of the log in bytes.
  package var length: Int
}
