/// The number of bytes of one key's entries in each snapshot segment. Usually these entries are in only one segment. In this
/// case, no allocation is needed.
struct SegmentUsage {
  private var first: UInt32 = 0
  private var firstBytes: UInt32 = 0
  private var more: [(segment: UInt32, bytes: Int)] = []

  var isEmpty: Bool { first == 0 && more.isEmpty }

  mutating func add(_ bytes: Int, in segment: UInt32) {
    if first == 0 || first == segment {
      first = segment
      firstBytes += UInt32(bytes)
    } else if let index = more.firstIndex(where: { $0.segment == segment }) {
      more[index].bytes += bytes
    } else {
      more.append((segment, bytes))
    }
  }

  mutating func remove(_ segments: Set<UInt32>) {
    if segments.contains(first) {
      first = 0
      firstBytes = 0
    }
    more.removeAll { segments.contains($0.segment) }
  }

  func forEach(_ body: (UInt32, Int) -> Void) {
    if first != 0 { body(first, Int(firstBytes)) }
    for part in more { body(part.segment, part.bytes) }
  }
}
