/// The content codings that a client accepts (RFC 9110 §12.5.3).
package enum AcceptEncoding {
  /// Returns true if the client's weight for gzip is at least its weight for `identity` (no coding). Returns false without an
  /// `Accept-Encoding` field, because nothing then shows that the client supports gzip. An element with a malformed weight is
  /// ignored.
  package static func prefersGzip(_ fields: FieldList) -> Bool {
    var gzip: Int?
    var identity: Int?
    var anything: Int?
    for element in fields.tokens(of: "Accept-Encoding") {
      guard let (coding, weight) = parse(element) else { continue }
      if coding.equalsIgnoringCase("gzip") || coding.equalsIgnoringCase("x-gzip") {
        gzip = max(gzip ?? 0, weight)
      } else if coding.equalsIgnoringCase("identity") {
        identity = weight
      } else if coding == "*" {
        anything = weight
      }
    }
    // A coding that the field does not name has the weight of `*`. If identity and `*` are both missing, identity is
    // acceptable, but not preferred.
    let weight = gzip ?? anything ?? 0
    return weight > 0 && weight >= identity ?? 0
  }

  /// Parses `coding;q=0.5`; the weight is in thousandths.
  private static func parse(_ element: String) -> (coding: String, weight: Int)? {
    let parts = element.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingBlanks() }
    guard parts.count <= 2, let coding = parts.first, coding.utf8.allSatisfy(Grammar.isToken), !coding.isEmpty
    else { return nil }
    guard parts.count == 2 else { return (coding, Weight.whole) }
    return Weight.parse(parts[1]).map { (coding, $0) }
  }
}
