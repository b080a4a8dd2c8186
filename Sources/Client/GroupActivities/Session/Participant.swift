public import FoundationEssentials

/// A participant of a session (Apple's type). Two windows of one person are two participants.
///
/// The value contains no personal data: `GroupSession.name(of:)` and `color(of:)` return the participant's name and color.
public struct Participant: Hashable, Identifiable, Sendable, CustomStringConvertible {
  /// The identifier of the participant. All programs in the session see the same identifier for this participant. It stays the
  /// same when connections are lost, and is new for each join.
  public let id: UUID

  /// The text `Participant(…)` with the identifier.
  public var description: String { "Participant(\(id))" }

  /// True if the participant is in the same room. Always false, because a gateway cannot know this.
  public var isNearbyWithLocalParticipant: Bool { false }
}

/// The receivers of a message (Apple's type).
@nonexhaustive
public enum Participants: Hashable, Sendable {
  /// All other participants.
  case all
  /// The participants of a set, 1,000 at most. An empty set is not an error.
  case only(Set<Participant>)

  /// Returns the receivers of a message that is for `participant` only.
  public static func only(_ participant: Participant) -> Participants {
    .only([participant])
  }
}
