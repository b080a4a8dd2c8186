/// The weight of an element in a list of preferences (RFC 9110 §12.4.2).
enum Weight {
  /// The weight 1 in thousandths. It is the weight of an element without an explicit weight.
  static let whole = 1_000

  /// Parses `q=` and a number from 0 to 1 with at most three decimals.
  ///
  /// - Returns: the weight in thousandths; nil for any other text.
  static func parse(_ text: String) -> Int? {
    var bytes = Array(text.utf8)[...]
    guard let name = bytes.popFirst(), Grammar.lowercased(name) == 0x71, bytes.popFirst() == 0x3D,
      let integer = bytes.popFirst(), integer == 0x30 || integer == 0x31
    else { return nil }
    var thousandths = integer == 0x31 ? whole : 0
    guard let point = bytes.popFirst() else { return thousandths }
    guard point == 0x2E, bytes.count <= 3 else { return nil }
    var unit = 100
    for digit in bytes {
      guard Grammar.isDigit(digit) else { return nil }
      thousandths += Int(digit - 0x30) * unit
      unit /= 10
    }
    return thousandths <= whole ? thousandths : nil
  }
}
