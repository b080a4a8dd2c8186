internal import Wire

/// What the loop is asked for.
enum MembershipCommand: Sendable {
  case waitToJoin
  /// Joins; with a profile, that replaces the one given at the start.
  case join(Profile?)
  case leave
  case end
  case send(OutgoingEntry)
  case change(ActivityChange)
  case changeProfile(Profile)
  case setReading(Bool)
  /// Tell the waiter of that number when all before is on the gateway's disk.
  case mark(UInt64)
}
