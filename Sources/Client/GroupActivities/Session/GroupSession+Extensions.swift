import SessionClient
public import FoundationEssentials
import Platform
import Wire

extension GroupSession {
  /// The session's link. Anyone who has the link can join, also in a browser, so only participants should know the link. An
  /// extension of Apple's API.
  public var link: URL { coordinator.link }

  /// Joins with a name and a color in place of `GroupActivitiesGateway.profile`. An extension of Apple's API.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 Unicode scalars. The gateway chooses a name for nil, and for a name that has only control
  ///     characters.
  ///   - color: `#` and six hexadecimal digits; nil for a color that the gateway chooses.
  public func join(as name: String?, color: String? = nil) {
    coordinator.join(Profile(name: name, color: color))
  }

  /// Changes this participant's name and color, with the rules of `join(as:color:)`. Does nothing before `join` and after the
  /// end. An extension of Apple's API.
  public func show(as name: String?, color: String? = nil) {
    // `membership()` throws before `join` and after the end. In both cases there is nothing to change.
    try? coordinator.membership().change(Profile(name: name, color: color))
  }

  /// Returns the name of a participant that is or was in the session; nil for an unknown participant. An extension of
  /// Apple's API.
  public func name(of participant: Participant) -> String? {
    coordinator.state.withLock { $0.knownParticipants[participant.id]?.name }
  }

  /// Returns the color of a participant that is or was in the session, `#` and six hexadecimal digits; nil for an
  /// unknown participant. An extension of Apple's API.
  public func color(of participant: Participant) -> String? {
    coordinator.state.withLock { $0.knownParticipants[participant.id]?.color }
  }

  /// The participants whose program has the session object but has not joined yet. An extension of Apple's API.
  public var waitingParticipants: Set<Participant> {
    coordinator.state.withLock { $0.waitingParticipants }
  }

  /// Waits until all messages and attachments that this program sent before the call are on the gateway's disk. An extension of
  /// Apple's API.
  ///
  /// - Throws: `GroupSessionInvalidation` if the session ends first, `SendError.notJoined` before `join()`,
  ///   `GroupSessionJournal.JournalError` if an upload failed (a later call does not throw the same failure again), and
  ///   `CancellationError`.
  public func settle() async throws {
    try await coordinator.settle()
  }

  /// Leaves, and waits for at most 5 s until the gateway has received the request. An extension of Apple's API.
  public func leaveAndWait() async {
    let membership = coordinator.currentMembership
    leave()
    await membership?.finish()
  }

  /// Ends the session for all participants, and waits for at most 5 s until the gateway has received the request. An extension of
  /// Apple's API.
  public func endAndWait() async {
    let membership = coordinator.currentMembership
    end()
    await membership?.finish()
  }

  /// Sets `activity` and its title for all participants, and throws if the change cannot be sent. An extension of Apple's API.
  ///
  /// - Throws: `SendError`, or the encoding error.
  public func update(activity: ActivityType) async throws {
    let payload = try ActivityPayloadCoding.encode(activity)
    let revision = try coordinator.change(payload: payload)
    RemoteActivityUpdate.$current.withValue(RemoteActivityUpdate()) { self.activity = activity }
    if let title = await activity.metadata.title { coordinator.change(title: title, ofRevision: revision) }
  }

  /// The sequence of all events in the session, as the gateway sends them, starting when this property is read. An extension of
  /// Apple's API.
  ///
  /// A program that needs all events reads this property before `join()`. The sequence ends when the gateway knows that this
  /// participant has left. After the property was read, messages of types without a subscriber are no longer kept for a later
  /// `messages(of:)`. The sequence has one reader. While more than 64 MiB are unread, the session stops reading from the gateway.
  public var entries: Entries {
    coordinator.inbox.discardUnclaimed()
    return Entries(subscription: coordinator.entries.subscribe())
  }

  /// The sequence of all events in a session. An extension of Apple's API.
  public struct Entries: AsyncSequence, Sendable {
    /// One event of the session.
    public typealias Element = GroupSessionEntry
    /// The sequence never fails.
    public typealias Failure = Never

    let subscription: EntrySubscription

    /// Returns the iterator over all events since the property `entries` was read.
    public func makeAsyncIterator() -> Iterator {
      Iterator(subscription: subscription)
    }

    /// The iterator over the events of a session.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// One event of the session.
      public typealias Element = GroupSessionEntry
      /// The sequence never fails.
      public typealias Failure = Never

      let subscription: EntrySubscription

      /// Returns the next event; nil at the end, and when the task is cancelled.
      public mutating func next() async -> GroupSessionEntry? {
        await next(isolation: #isolation)
      }

      /// Returns the next event; nil at the end, and when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> GroupSessionEntry? {
        await subscription.next()
      }
    }
  }
}

extension Profile {
  init(_ profile: GroupActivitiesGateway.Profile) {
    self.init(name: profile.name, color: profile.color)
  }
}
