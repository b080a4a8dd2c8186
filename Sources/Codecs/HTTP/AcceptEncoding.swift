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
    guard parts.count == 2 else { return (coding, 1_000) }
    return weight(parts[1]).map { (coding, $0) }
  }

  /// Parses `q=` and a number from 0 to 1 with at most three decimals (§12.4.2).
  private static func weight(_ text: String) -> Int? {
    var bytes = Array(text.utf8)[...]
    guard let name = bytes.popFirst(), Grammar.lowercased(name) == 0x71, bytes.popFirst() == 0x3D,
      let whole = bytes.popFirst(), whole == 0x30 || whole == 0x31
    else { return nil }
    var thousandths = whole == 0x31 ? 1_000 : 0
    guard let point = bytes.popFirst() else { return thousandths }
    guard point == 0x2E, bytes.count <= 3 else { return nil }
    var unit = 100
    for digit in bytes {
      guard Grammar.isDigit(digit) else { return nil }
      thousandths += Int(digit - 0x30) * unit
      unit /= 10
    }
    return thousandths <= 1_000 ? thousandths : nil
  }
}
