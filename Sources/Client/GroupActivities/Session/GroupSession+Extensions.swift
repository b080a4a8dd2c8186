import SessionClient
public import FoundationEssentials
import Platform
import Wire

extension GroupSession {
  /// Ours: the session's link. Who has it can join, in a browser too, so it is a secret of those who are in.
  public var link: URL { coordinator.link }

  /// Ours: takes part under that name and color, whatever `GroupActivitiesGateway.profile` says.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 Unicode scalars; nil, or with nothing left once control characters are taken out: the gateway makes
  ///     one up.
  ///   - color: `#` and six hex digits; nil for one that the gateway chooses.
  public func join(as name: String?, color: String? = nil) {
    coordinator.join(Profile(name: name, color: color))
  }

  /// Ours: changes how this participant is shown; see `join(as:color:)`. Nothing before `join` and after the end.
  public func show(as name: String?, color: String? = nil) {
    // Nobody is in then who could be shown.
    try? coordinator.membership().change(Profile(name: name, color: color))
  }

  /// Ours: what somebody is called who is or was in the session; nil for who never was.
  public func name(of participant: Participant) -> String? {
    coordinator.state.withLock { $0.knownParticipants[participant.id]?.name }
  }

  /// Ours: how somebody is shown, `#` and six hex digits; nil for who never was in the session.
  public func color(of participant: Participant) -> String? {
    coordinator.state.withLock { $0.knownParticipants[participant.id]?.color }
  }

  /// Ours: the participants whose program has the session but has not joined it yet.
  public var waitingParticipants: Set<Participant> {
    coordinator.state.withLock { $0.waitingParticipants }
  }

  /// Ours: waits until all that was sent and added before is on the gateway's disk.
  ///
  /// - Throws: `GroupSessionInvalidation` when the session ends before, `SendError.notJoined` before `join()`,
  ///   `GroupSessionJournal.JournalError` when an upload failed, once, and `CancellationError`.
  public func settle() async throws {
    try await coordinator.settle()
  }

  /// Ours: leaves, and waits until the gateway was told or 5 s are over.
  public func leaveAndWait() async {
    let membership = coordinator.currentMembership
    leave()
    await membership?.finish()
  }

  /// Ours: ends the session for everybody, and waits until the gateway was told or 5 s are over.
  public func endAndWait() async {
    let membership = coordinator.currentMembership
    end()
    await membership?.finish()
  }

  /// Ours: sets `activity` for everybody, its title too, and says why where that cannot be.
  ///
  /// - Throws: `SendError`, or what encoding the activity throws.
  public func update(activity: ActivityType) async throws {
    let payload = try ActivityPayloadCoding.encode(activity)
    let revision = try coordinator.change(payload: payload)
    RemoteActivityUpdate.$current.withValue(RemoteActivityUpdate()) { self.activity = activity }
    if let title = await activity.metadata.title { coordinator.change(title: title, ofRevision: revision) }
  }

  /// Ours: everything as it comes from the gateway, from this call on, raw. Read it before `join()` to miss nothing; it ends
  /// once the gateway was told that this participant is gone. From here on no messages are held for a later
  /// `messages(of:)`. One reader; 64 MiB unread stop the reading from the gateway.
  public var entries: Entries {
    coordinator.inbox.discardUnclaimed()
    return Entries(subscription: coordinator.entries.subscribe())
  }

  /// Ours: everything that happens in a session.
  public struct Entries: AsyncSequence, Sendable {
    /// One thing that happens.
    public typealias Element = GroupSessionEntry
    /// It never fails.
    public typealias Failure = Never

    let subscription: EntrySubscription

    /// Goes through what has come since `entries` was read.
    public func makeAsyncIterator() -> Iterator {
      Iterator(subscription: subscription)
    }

    /// Goes through what happens.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// One thing that happens.
      public typealias Element = GroupSessionEntry
      /// It never fails.
      public typealias Failure = Never

      let subscription: EntrySubscription

      /// What happened next; nil at the end, and once the task is cancelled.
      public mutating func next() async -> GroupSessionEntry? {
        await next(isolation: #isolation)
      }

      /// What happened next; nil at the end, and once the task is cancelled.
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
