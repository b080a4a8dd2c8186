public import Combine
public import FoundationEssentials
import Platform
import Wire

/// A session of an activity in which this program takes part (Apple's class).
///
/// `sessions()` yields the session in the state `waiting`; the other participants then see this participant as waiting. Until
/// `join()`, this program can send no messages, and the session reports only its own end.
///
/// Keep a reference to the session while it is in use. This participant leaves the session when the last reference is released.
/// Messengers and journals also hold references. Published properties change on the main actor, and publish a new value before
/// they store it. The program must not block the main actor. Lost connections are restored: the state stays `joined`, and
/// messages are queued. Functions may be called on any thread.
public final class GroupSession<ActivityType: GroupActivity>: ObservableObject {
  /// The state of a session (Apple's type).
  @nonexhaustive
  public enum State: Equatable, Sendable {
    /// Not joined yet, or joining.
    case waiting
    /// Joined: messages are delivered.
    case joined
    /// The session is over. The reason is a `GroupSessionInvalidation`.
    case invalidated(reason: any Error)

    /// Returns true if both states are the same case. Two `invalidated` states are equal if the descriptions of their reasons are
    /// equal.
    public static func == (lhs: State, rhs: State) -> Bool {
      switch (lhs, rhs) {
      case (.waiting, .waiting), (.joined, .joined): true
      case (.invalidated(let left), .invalidated(let right)): "\(left)" == "\(right)"
      default: false
      }
    }
  }

  /// The identifier: the 128 bits of the session's link.
  public let id: UUID
  /// True if this program activated the session.
  public let isLocallyInitiated: Bool
  /// The state of the session.
  @Published public private(set) var state: State = .waiting
  /// The participants that have joined, including this one. The set is empty until just before the state becomes `joined`.
  @Published public private(set) var activeParticipants: Set<Participant> = []
  /// The activity of the session.
  ///
  /// After this program has joined, setting the property changes the activity for all participants. The change applies in this
  /// program immediately. The other participants receive it in the session's order of messages. After concurrent changes, all
  /// participants have the same activity. If the program makes changes faster than the gateway's rate limit allows, only the last
  /// change is sent, as soon as the limit allows. `settle()` waits until that change is sent. A change that cannot be sent
  /// (before `join()`, after the end, or with a payload of more than 16,384 bytes) takes effect only in this program, without an
  /// error. `update(activity:)` throws for such a change.
  @Published public var activity: ActivityType {
    willSet { send(newValue) }
  }

  let coordinator: SessionCoordinator

  /// Creates the object for a coordinator.
  ///
  /// - Throws: the error of decoding the session's payload.
  init(_ coordinator: SessionCoordinator) throws {
    self.coordinator = coordinator
    id = EntryKey(high: coordinator.session.high, low: coordinator.session.low).uuid
    isLocallyInitiated = coordinator.isLocallyInitiated
    activity = try ActivityPayloadCoding.decode(ActivityType.self, from: coordinator.payload)
    coordinator.attach(self)
  }

  deinit {
    coordinator.leave()
  }

  /// This participant. Before `joined` it has a provisional identifier; from then on it has the identifier that all
  /// participants see.
  public var localParticipant: Participant {
    coordinator.state.withLock { $0.localParticipant }
  }

  /// Joins the session. The state becomes `joined` when all earlier events have arrived. A second call, and a call after the end,
  /// do nothing.
  public func join() {
    coordinator.join(Profile(GatewaySettings.shared.profile))
  }

  /// Leaves the session, for this program only. After this call, no further messages are sent, no sequence yields an element, and
  /// the state becomes `invalidated`. Messages that were sent before this call are still delivered if that is possible within 5
  /// s.
  public func leave() {
    coordinator.leave()
  }

  /// Ends the session for all participants. After this call, no further messages are sent and no sequence yields an element. If
  /// this program has not joined yet, it joins first: the other participants see it join just before the session ends.
  public func end() {
    coordinator.end()
  }

  private func send(_ activity: ActivityType) {
    // An activity that came from the session is not sent back.
    if let remote = RemoteActivityUpdate.current, remote.claim() { return }
    // The error is ignored, because a property's setter cannot throw. A program that needs the error calls `update(activity:)`.
    try? coordinator.changeSoon(payload: ActivityPayloadCoding.encode(activity))
  }
}

// Mutable state is in `@Published` properties, which protect their values, and in the coordinator. All other properties are
// constant. The activity is read and set on any thread, so its type must be `Sendable`.
extension GroupSession: @unchecked Sendable where ActivityType: Sendable {}

extension GroupSession: SessionFacade {
  @MainActor func publish(_ change: SessionChange) {
    // If another thread leaves the session while the event loop reports a change, the change may arrive here after the session's
    // end.
    if case .invalidated = state { return }
    switch change {
    case .joined: state = .joined
    case .participants(let active): activeParticipants = active
    case .activity(let payload, let revision):
      // The program may have set another activity after the session reported this activity.
      guard coordinator.isCurrent(revision) else { return }
      // A payload that this program cannot decode leaves the activity unchanged.
      guard let activity = try? ActivityPayloadCoding.decode(ActivityType.self, from: payload) else { return }
      RemoteActivityUpdate.$current.withValue(RemoteActivityUpdate()) { self.activity = activity }
    case .invalidated(let reason): state = .invalidated(reason: reason)
    }
  }
}

extension GroupSession: CustomStringConvertible {
  /// The activity's type, the state and the number of participants. The identifier and the link are left out, because they give
  /// access to the session.
  public var description: String {
    "GroupSession<\(ActivityType.self)>(\(state), \(activeParticipants.count) active)"
  }
}

/// Marks one assignment to `activity` as received from the session, so that the assigned activity is not sent back. If a
/// subscriber assigns another activity in response, that second assignment counts as the program's own and is sent.
final class RemoteActivityUpdate: Sendable {
  @TaskLocal static var current: RemoteActivityUpdate?
  private let isClaimed = Guarded(false)

  /// Returns true for the first assignment: it applies the activity that was received from the session. Returns false for every
  /// later assignment: a subscriber made it.
  func claim() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }
}
