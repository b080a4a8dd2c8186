public import Combine
public import FoundationEssentials
import Platform
import Wire

/// A session of an activity in which this program takes part (Apple's class).
///
/// `sessions()` yields the session in the state `waiting`; the other participants then see this participant as waiting. Before
/// `join()`, no other messages are sent, and only the session's end is reported.
///
/// Keep a reference to the session while it is in use. The participant leaves when the last reference is released; messengers and
/// journals have references too. Published properties change on the main actor, and publish a new value before they store it. The
/// program must not block the main actor. Lost connections are restored: the state stays `joined`, and messages are queued.
/// Functions may be called on any thread.
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

    /// Returns true for the same state; for `invalidated`, if the descriptions of both reasons are equal.
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
  /// The state.
  @Published public private(set) var state: State = .waiting
  /// The participants that have joined, including this one; empty until just before `joined`.
  @Published public private(set) var activeParticipants: Set<Participant> = []
  /// The activity of the session.
  ///
  /// After this program has joined, setting the property changes the activity for all participants. The change applies here at
  /// once, and elsewhere in the session's order. After concurrent changes, all participants have the same activity. Changes
  /// beyond the gateway's rate are combined: the last one is sent when the rate allows, and `settle()` waits for that. A change
  /// that cannot be sent (before `join()`, after the end, or with a payload of more than 16,384 bytes) is made only in this
  /// program; `update(activity:)` throws in that case.
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
  /// the state becomes `invalidated`. Earlier messages are sent if that is possible within 5 s.
  public func leave() {
    coordinator.leave()
  }

  /// Ends the session for all participants. After this call, no further messages are sent and no sequence yields an element. A
  /// session that was not joined is joined first: the other participants see a newcomer, and then the end.
  public func end() {
    coordinator.end()
  }

  private func send(_ activity: ActivityType) {
    // An activity that came from the session is not sent back.
    if let remote = RemoteActivityUpdate.current, remote.claim() { return }
    // A setter cannot throw an error. `update(activity:)` can.
    try? coordinator.changeSoon(payload: ActivityPayloadCoding.encode(activity))
  }
}

// Mutable state is in `@Published` properties, which protect their values, and in the coordinator. All other properties are
// constant. The activity is read and set on any thread, so its type must be `Sendable`.
extension GroupSession: @unchecked Sendable where ActivityType: Sendable {}

extension GroupSession: SessionFacade {
  @MainActor func publish(_ change: SessionChange) {
    // A change that the event loop reported while another thread left the session may arrive after the end.
    if case .invalidated = state { return }
    switch change {
    case .joined: state = .joined
    case .participants(let active): activeParticipants = active
    case .activity(let payload, let revision):
      // The program may have set another activity after this one was reported.
      guard coordinator.isCurrent(revision) else { return }
      // A payload that this program cannot decode leaves the activity unchanged.
      guard let activity = try? ActivityPayloadCoding.decode(ActivityType.self, from: payload) else { return }
      RemoteActivityUpdate.$current.withValue(RemoteActivityUpdate()) { self.activity = activity }
    case .invalidated(let reason): state = .invalidated(reason: reason)
    }
  }
}

extension GroupSession: CustomStringConvertible {
  /// The activity's type, the state and the number of participants. The identifier and the link are left out: they
  /// give access.
  public var description: String {
    "GroupSession<\(ActivityType.self)>(\(state), \(activeParticipants.count) active)"
  }
}

/// Marks one assignment to `activity` as received from the session. If a subscriber assigns in response, that assignment counts
/// as the program's own.
final class RemoteActivityUpdate: Sendable {
  @TaskLocal static var current: RemoteActivityUpdate?
  private let isClaimed = Guarded(false)

  /// Returns true for the first assignment after the mark.
  func claim() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }
}
