/// Decides when to warn that a quota is nearly used up.
struct FillLevel {
  private var isNearlyFull = false

  /// Records the present use and decides about a warning.
  ///
  /// - Parameters:
  ///   - used: the bytes in use.
  ///   - limit: the quota.
  /// - Returns: true when the bytes in use reach four fifths of the quota for the first time since they were below three fifths
  ///   of the quota.
  mutating func reachesWarning(_ used: UInt64, of limit: UInt64) -> Bool {
    if used * 5 < limit * 3 { isNearlyFull = false }
    guard !isNearlyFull, used > 0, used * 5 >= limit * 4 else { return false }
    isNearlyFull = true
    return true
  }
}
