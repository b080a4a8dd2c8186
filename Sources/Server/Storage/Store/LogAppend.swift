package import SessionCore
package import Wire

/// Records to append to one session.
package struct LogAppend: Sendable {
  /// The id of the session.
  package var id: SessionID
  /// The number of this append among the appends to its session. An append that is repeated after an unknown outcome has the same
  /// number and records.
  package var number: UInt64
  /// The records, in their order.
  package var records: [SessionRecord]

  /// Creates an append.
  package init(id: SessionID, number: UInt64, records: [SessionRecord]) {
    self.id = id
    self.number = number
    self.records = records
  }
}

/// The outcome of an append.
package enum AppendOutcome: Equatable, Sendable {
  /// All records are stored.
  ///
  /// - Parameter byteCount: the size of all records of the session.
  case stored(byteCount: Int)
  /// None of the records is stored, because there is no room or the store fails. The caller may append the records again,
  /// alone or together with other records.
  case refused(StorageError)
  /// None of the records is stored: this store does not own the session.
  case fenced
  /// Either all or none of the records are stored. The caller has to repeat the same append until its outcome is known. An append
  /// that was stored already is not stored again.
  case unknown(StorageError)
}

/// The outcomes of a batch.
package struct BatchOutcome: Sendable {
  /// The outcomes of the appends, in their order.
  package var outcomes: [AppendOutcome]
  /// The time that the store needed for all appends of the batch.
  package var duration: Duration

  /// Creates the outcomes of a batch.
  package init(_ outcomes: [AppendOutcome], duration: Duration) {
    self.outcomes = outcomes
    self.duration = duration
  }
}

/// The outcome of an attempt to take ownership of a session.
package enum Adoption: Equatable, Sendable {
  /// This store owns the session.
  ///
  /// - Parameter byteCount: the size of all records of the session.
  case adopted(byteCount: Int)
  /// The gateway with this address owns the session.
  case ownedElsewhere(address: String)
}
