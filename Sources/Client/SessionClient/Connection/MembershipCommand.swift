internal import Wire

/// A request of the program to the client loop.
enum MembershipCommand: Sendable {
  case waitToJoin
  /// Join. A profile, if given, replaces the profile that was given to the membership's initializer.
  case join(Profile?)
  case leave
  case end
  case send(OutgoingEntry)
  case change(ActivityChange)
  case changeProfile(Profile)
  case setReading(Bool)
  /// Resolve the promise with this number when all earlier messages are on the gateway's disk.
  case mark(UInt64)
}
