public import FoundationEssentials

/// Somebody's place in a session (Apple's type): two windows of one person are two. Nothing personal is in it; how
/// somebody is shown is `GroupSession.name(of:)` and `color(of:)`.
public struct Participant: Hashable, Identifiable, Sendable, CustomStringConvertible {
  /// The same for everybody in the session, and kept over cut connections; new for each join.
  public let id: UUID

  /// The id.
  public var description: String { "Participant(\(id))" }

  /// Whether it is in the same room. False: a gateway cannot know.
  public var isNearbyWithLocalParticipant: Bool { false }
}

/// Whom a message goes to (Apple's type).
@nonexhaustive
public enum Participants: Hashable, Sendable {
  /// Everybody who is in the session, but not whoever sends.
  case all
  /// Those; nobody when the set is empty, which is no error. At most 1,000.
  case only(Set<Participant>)

  /// That one.
  public static func only(_ participant: Participant) -> Participants {
    .only([participant])
  }
}
