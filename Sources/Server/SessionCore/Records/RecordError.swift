package import Wire

/// The error for an invalid record, which no session writes: the kind of the record, and its fault.
package struct RecordError: Error, Equatable, Sendable {
  /// A fault of a record.
  package enum Fault: Equatable, Sendable {
    /// The record has a kind that this version does not know.
    case unknownKind
    /// The body ends too early.
    case cutShort(needed: Int, have: Int)
    /// The body has extra bytes at its end.
    case tooLong(extra: Int)
    /// The body should be a JSON object, but is not.
    case notJSON
    /// A member of the object is missing or has an impossible value.
    case invalidMember(String)
    /// The record belongs to another session.
    case otherSession
    /// An entry in a frame cannot be parsed.
    case entry(WireError)
    /// An entry has flags that a session never writes in a record of this kind.
    case flags(UInt8)
    /// A sequence is not higher than the previous one.
    case outOfOrder(sequence: UInt64, after: UInt64)
    /// A sequence is 2^53 or more.
    case sequenceTooLarge(UInt64)
    /// A targeted frame does not consist of exactly one targeted entry, or its targets are not in rising order.
    case targets
    /// A `base` record follows a `run` record, but all `base` records must come first.
    case behindEntries
    /// The payload of an `attachment` entry has a wrong member.
    case attachment(String)
    /// A number is beyond the highest possible number in a session.
    case numberTooLarge(UInt64)
    /// The log has no `session` record.
    case missing
  }

  /// The number of the record's kind.
  package let kind: UInt8
  /// The fault of the record.
  package let fault: Fault

  /// Creates an error for a record whose kind has the number `kind`.
  package init(_ kind: UInt8, _ fault: Fault) {
    self.kind = kind
    self.fault = fault
  }

  init(_ kind: SessionRecord.Kind, _ fault: Fault) {
    self.init(kind.rawValue, fault)
  }
}

extension RecordError: CustomStringConvertible {
  /// The kind and the fault as text for an operator.
  package var description: String {
    let name = SessionRecord.Kind(rawValue: kind).map { "\($0)" } ?? "\(kind)"
    return "A record of kind \(name) \(words)."
  }

  private var words: String {
    switch fault {
    case .unknownKind: "is unknown to this version"
    case .cutShort(let needed, let have): "needs \(needed) bytes, but has \(have)"
    case .tooLong(let extra): "has \(extra) bytes too many"
    case .notJSON: "is not a JSON object"
    case .invalidMember(let name): "has a wrong or missing member \"\(name)\""
    case .otherSession: "belongs to another session"
    case .entry(let error): "has bytes that are not an entry: \(error.detail)"
    case .flags(let flags):
      "has an entry with the flags \(flags), which a session never writes in a record of this kind"
    case .outOfOrder(let sequence, let after): "has sequence \(sequence) after \(after)"
    case .sequenceTooLarge(let sequence): "has sequence \(sequence), but sequences must be below 2^53"
    case .targets:
      "has a targeted frame that does not consist of exactly one targeted entry, or whose targets are not in rising order"
    case .behindEntries: "follows entries that it must precede"
    case .attachment(let name): "has an attachment with a wrong member \"\(name)\""
    case .numberTooLarge(let number): "has the number \(number), which is more than a session can count"
    case .missing: "is missing: the log does not name its session"
    }
  }
}
