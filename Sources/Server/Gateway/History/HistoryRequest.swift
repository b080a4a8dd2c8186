internal import Wire

/// A request for the history of a session.
enum HistoryRequest: Equatable {
  /// The list of the history's pieces, and a summary of its entries.
  case overview
  /// The entries of a range of sequences. The answer has whole blocks, from the block with the first sequence to the block with the
  /// last.
  ///
  /// - Parameter tag: the tag of the piece that the client expects; nil for any.
  case entries(ClosedRange<UInt64>, tag: String?)
  /// The state at a sequence.
  ///
  /// - Parameter tag: the tag of the piece that the client expects; nil for any.
  case state(UInt64, tag: String?)

  /// The highest sequence of any entry.
  private static let highestSequence: UInt64 = 1 << 53 - 1
  private static let tagLength = 8

  /// Parses the query of a request. Ignores unknown names.
  ///
  /// - Throws: the refusal, if the query is none of the three requests.
  init(query: String?) throws(Refusal) {
    var values: [String: String] = [:]
    for part in (query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw Self.malformed }
      values[String(pair[0])] = String(pair[1])
    }
    let tag = values["tag"]
    guard tag.map({ $0.utf8.count == Self.tagLength }) ?? true else { throw Self.malformed }
    switch (values["from"], values["to"], values["state"]) {
    case (nil, nil, nil):
      self = .overview
    case (let from?, let to?, nil):
      let (first, last) = (try Self.sequence(from), try Self.sequence(to))
      guard first <= last else { throw Self.malformed }
      self = .entries(first...last, tag: tag)
    case (nil, nil, let state?):
      self = .state(try Self.sequence(state), tag: tag)
    default:
      throw Self.malformed
    }
  }

  /// The tag of the piece that the client expects; nil for any.
  var tag: String? {
    switch self {
    case .overview: nil
    case .entries(_, let tag), .state(_, let tag): tag
    }
  }

  private static func sequence(_ text: String) throws(Refusal) -> UInt64 {
    guard text.utf8.count <= 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt64(text), number <= highestSequence
    else { throw malformed }
    return number
  }

  private static var malformed: Refusal {
    Refusal(
      .badRequest,
      "The query must be empty, or have from and to in rising order, or have state: whole sequences.")
  }
}
