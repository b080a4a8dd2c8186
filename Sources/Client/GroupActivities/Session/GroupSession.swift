public import Combine
public import FoundationEssentials
import Platform
import Wire

/// One session of an activity, as this program takes part in it (Apple's class).
///
/// `sessions()` delivers it in the state `waiting`, in which the others see this participant wait. Before `join()` nothing else is
/// sent, and only the session's end is reported. Keep a reference while you use it: when the last one goes, those of its
/// messengers and journals included, the participant leaves. What is published changes on the main actor, before it is stored; a program must
/// let that run. A socket that breaks comes back by itself: the state stays `joined`, and what is sent waits.
public final class GroupSession<ActivityType: GroupActivity>: ObservableObject {
  /// How far a session is (Apple's type).
  @nonexhaustive
  public enum State: Equatable, Sendable {
    /// Not joined yet, or joining.
    case waiting
    /// What is sent arrives.
    case joined
    /// Over, and why: a `GroupSessionInvalidation`.
    case invalidated(reason: any Error)

    /// Whether it is the same state, for the same reason in words.
    public static func == (lhs: State, rhs: State) -> Bool {
      switch (lhs, rhs) {
      case (.waiting, .waiting), (.joined, .joined): true
      case (.invalidated(let left), .invalidated(let right)): "\(left)" == "\(right)"
      default: false
      }
    }
  }

  /// The session's id, as the 128 bits of its link.
  public let id: UUID
  /// Whether this program activated it.
  public let isLocallyInitiated: Bool
  /// How far it is.
  @Published public private(set) var state: State = .waiting
  /// Who is in the session, this participant included; empty until just before `joined`.
  @Published public private(set) var activeParticipants: Set<Participant> = []
  /// What the session is for. Setting it sets it for everybody, once it is joined: here at once, elsewhere in the session's
  /// order, and where two set it at once all end with the same. Set more often than the gateway's rate allows, it arrives as it
  /// was set last, once there is room; `settle()` waits for that. What cannot be sent (before `join()`, after the end, a
  /// payload of more than 16,384 bytes) changes it here alone; `update(activity:)` says so.
  @Published public var activity: ActivityType {
    willSet { send(newValue) }
  }

  let coordinator: SessionCoordinator

  /// - Throws: what decoding the session's payload throws.
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

  /// This participant. Before `joined` it has an id of its own, which nobody else knows; from then on the one that everybody
  /// sees.
  public var localParticipant: Participant {
    coordinator.state.withLock { $0.localParticipant }
  }

  /// Takes part: connects, and is `joined` once all that was there before has arrived. Once; nothing when it is over.
  public func join() {
    coordinator.join(Profile(GatewaySettings.shared.profile))
  }

  /// Leaves, for this program only. From the call on nothing is sent and no sequence yields; the state is then
  /// `invalidated`. What was sent before goes out if it can within 5 s.
  public func leave() {
    coordinator.leave()
  }

  /// Ends the session for everybody. From the call on nothing is sent and no sequence yields. One that was not joined is
  /// joined for that: the others see somebody come in, and then the end.
  public func end() {
    coordinator.end()
  }

  private func send(_ activity: ActivityType) {
    // What comes from the session is not sent to it.
    if let remote = RemoteActivityUpdate.current, remote.claim() { return }
    // A setter cannot throw; `update` does.
    try? coordinator.changeSoon(payload: ActivityPayloadCoding.encode(activity))
  }
}

// What varies is in `@Published`, which guards its value, and in the coordinator; the rest is constant. The activity is read
// and set on any thread, so its type must be `Sendable` for that.
extension GroupSession: @unchecked Sendable where ActivityType: Sendable {}

extension GroupSession: SessionFacade {
  @MainActor func publish(_ change: SessionChange) {
    // What the loop told while another thread left may be behind the end, and is of no session any more.
    if case .invalidated = state { return }
    switch change {
    case .joined: state = .joined
    case .participants(let active): activeParticipants = active
    case .activity(let payload, let revision):
      // The program may have set another activity since this one was reported.
      guard coordinator.isCurrent(revision) else { return }
      // One that this program does not understand leaves it with what it has.
      guard let activity = try? ActivityPayloadCoding.decode(ActivityType.self, from: payload) else { return }
      RemoteActivityUpdate.$current.withValue(RemoteActivityUpdate()) { self.activity = activity }
    case .invalidated(let reason): state = .invalidated(reason: reason)
    }
  }
}

extension GroupSession: CustomStringConvertible {
  /// The activity's type, the state, and how many are in; not the id or the link, which are as good as a key.
  public var description: String {
    "GroupSession<\(ActivityType.self)>(\(state), \(activeParticipants.count) active)"
  }
}

/// Marks one setting of `activity` as the session's own; what a subscriber sets in turn is the program's again.
final class RemoteActivityUpdate: Sendable {
  @TaskLocal static var current: RemoteActivityUpdate?
  private let isClaimed = Guarded(false)

  /// Whether this is the setting that was marked.
  func claim() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }
}
