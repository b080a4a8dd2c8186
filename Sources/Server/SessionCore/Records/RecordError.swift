package import Wire

/// A record that cannot be what a session wrote: which kind, and what is wrong with it.
package struct RecordError: Error, Equatable, Sendable {
  /// What is wrong with a record.
  package enum Fault: Equatable, Sendable {
    /// A kind that this version does not know.
    case unknownKind
    /// The body ends before what it begins.
    case cutShort(needed: Int, have: Int)
    /// The body goes on behind what it says.
    case tooLong(extra: Int)
    /// The body is to be a JSON object, and is none.
    case notJSON
    /// A member of the object is missing or has a value that it cannot have.
    case wrongMember(String)
    /// It is about another session.
    case otherSession
    /// An entry cannot be cut out of its frame.
    case entry(WireError)
    /// An entry has flags that a session never writes there.
    case flags(UInt8)
    /// Sequences rise, and this one does not.
    case outOfOrder(sequence: UInt64, after: UInt64)
    /// Sequences stay below 2^53.
    case sequenceTooLarge(UInt64)
    /// A targeted entry is a frame of its own, for numbers in rising order.
    case targets
    /// What is retained comes before the entries that follow it.
    case behindEntries
    /// An `attachment` entry whose payload is none, with the member that is wrong.
    case attachment(String)
    /// A number beyond what a session can count.
    case numberTooLarge(UInt64)
    /// A session's log begins with its `session` record, and this one has none.
    case missing
  }

  /// The kind's number as it stands in the file.
  package let kind: UInt8
  /// What is wrong.
  package let fault: Fault

  /// A fault of a record of that kind.
  package init(_ kind: UInt8, _ fault: Fault) {
    self.kind = kind
    self.fault = fault
  }

  init(_ kind: SessionRecord.Kind, _ fault: Fault) {
    self.init(kind.rawValue, fault)
  }
}

extension RecordError: CustomStringConvertible {
  /// Which record, and what is wrong with it, in words for an operator.
  package var description: String {
    let name = SessionRecord.Kind(rawValue: kind).map { "\($0)" } ?? "\(kind)"
    return "A record of kind \(name) \(words)."
  }

  private var words: String {
    switch fault {
    case .unknownKind: "is not known to this version"
    case .cutShort(let needed, let have): "needs \(needed) bytes, but has \(have)"
    case .tooLong(let extra): "has \(extra) bytes too many"
    case .notJSON: "is no JSON object"
    case .wrongMember(let name): "has no \"\(name)\" that can be right"
    case .otherSession: "is about another session"
    case .entry(let error): "holds bytes that are no entry: \(error.detail)"
    case .flags(let flags): "holds an entry with the flags \(flags), which no session writes there"
    case .outOfOrder(let sequence, let after): "holds sequence \(sequence) behind \(after)"
    case .sequenceTooLarge(let sequence): "says sequence \(sequence), and they stay below 2^53"
    case .targets: "holds a targeted frame that is not one entry for rising numbers"
    case .behindEntries: "stands behind entries that it should come before"
    case .attachment(let name): "holds an attachment without a right \"\(name)\""
    case .numberTooLarge(let number): "says \(number), which is more than a session can count"
    case .missing: "is missing: the log does not say what session it is of"
    }
  }
}
