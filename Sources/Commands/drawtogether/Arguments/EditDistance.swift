/// How far apart two names are, to guess what somebody meant.
enum EditDistance {
  /// The candidate that is fewest edits away; `nil` when that is more than a third of the name.
  static func nearest(to name: String, among candidates: [String]) -> String? {
    let limit = max(1, name.utf8.count / 3)
    let near = candidates.map { (candidate: $0, distance: between(Array(name.utf8), Array($0.utf8))) }
      .min { $0.distance < $1.distance }
    guard let near, near.distance <= limit else { return nil }
    return near.candidate
  }

  /// Insertions, removals, replacements and swaps of neighbours that make one of the other.
  static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard left.count <= 256, right.count <= 256 else { return .max }
    var older: [Int] = []
    var previous = Array(0...right.count)
    for i in left.indices {
      var current = [i + 1]
      for j in right.indices {
        var best = min(previous[j + 1], current[j]) + 1
        best = min(best, previous[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, older[j - 1] + 1)
        }
        current.append(best)
      }
      older = previous
      previous = current
    }
    return previous[right.count]
  }
}
