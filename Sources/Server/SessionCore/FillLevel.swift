/// Decides when to warn that a quota is nearly used up.
struct FillLevel {
  private var isNearlyFull = false

  /// Takes the present use into account.
  ///
  /// - Parameters:
  ///   - used: the bytes in use.
  ///   - limit: the quota.
  /// - Returns: true when four fifths are in use for the first time since it was less than three fifths.
  mutating func reachesWarning(_ used: UInt64, of limit: UInt64) -> Bool {
    if used * 5 < limit * 3 { isNearlyFull = false }
    guard !isNearlyFull, used > 0, used * 5 >= limit * 4 else { return false }
    isNearlyFull = true
    return true
  }
}
