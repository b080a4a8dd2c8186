package import FoundationEssentials

/// What is wrong with a log, from one place in it on.
package enum LogDamage: Equatable, Sendable, CustomStringConvertible {
  /// The file ends within a record, which was being written when the process or the machine stopped.
  case torn
  /// A record fails its check, and no record behind it can be relied upon.
  case broken

  package var description: String {
    switch self {
    case .torn: "the last record was not written whole"
    case .broken: "a record fails its check, and nothing behind it can be relied upon"
    }
  }
}

/// Damaged bytes in a log, with readable records behind them.
package struct SkippedBytes: Equatable, Sendable, CustomStringConvertible {
  /// The range of the bytes in the file.
  package var range: Range<Int>
  /// False for a record that could be read, because only its frame is damaged.
  package var isLost: Bool

  package var description: String {
    isLost
      ? "\(range.count) bytes fail their check, and what was in them is lost; what follows can be read"
      : "the frame of a record is damaged, and the record can be read"
  }
}

/// How far a log could be read.
package struct LogEnd: Equatable, Sendable {
  /// Where the last whole record ends.
  package var offset: Int
  /// The CRC of that record, which the next one continues.
  package var chain: UInt32
  /// How long the file is.
  package var length: Int
  /// When anything about the file changed last: a copy, or one that was put back, was changed when that was done.
  package var changed: Date
  /// Where runs begin, for a compaction.
  package var marks: LogMarks
  /// What is wrong behind `offset`; `nil` when nothing is, and then that is the file's end.
  package var damage: LogDamage?
  /// The damaged bytes before `offset`, by rising offset.
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
  /// The number of its kind.
  package var kind: UInt8
  /// Its body.
  package var body: [UInt8]
  /// When the log was written to last.
  package var modified: Date
  /// How long the log is, in bytes.
  package var length: Int
}
