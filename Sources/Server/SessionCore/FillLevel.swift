/// Decides when to warn that a quota is nearly used up.
struct FillLevel {
  private var isNearlyFull = false

  /// Records the present use and decides about a warning.
  ///
  /// - Parameters:
  ///   - used: the bytes in use.
  ///   - limit: the quota.
  /// - Returns: true when the use reaches four fifths for the first time since it was below three fifths.
  mutating func reachesWarning(_ used: UInt64, of limit: UInt64) -> Bool {
    if used * 5 < limit * 3 { isNearlyFull = false }
    guard !isNearlyFull, used > 0, used * 5 >= limit * 4 else { return false }
    isNearlyFull = true
    return true
  }
}
