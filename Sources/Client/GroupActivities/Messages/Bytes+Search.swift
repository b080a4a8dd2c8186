extension [UInt8] {
  /// Returns true if the array contains the UTF-8 bytes of a text.
  func contains(text: StaticString) -> Bool {
    let pattern = Array(text.description.utf8)
    guard count >= pattern.count else { return false }
    var start = 0
    while let first = self[start...].firstIndex(of: pattern[0]), first + pattern.count <= count {
      if self[first..<first + pattern.count].elementsEqual(pattern) { return true }
      start = first + 1
    }
    return false
  }
}
