internal import Platform
package import Wire

/// One participant's membership in one session: joins, reconnects, sends, and reports events.
///
/// Any thread may call its functions. The observer is called on the thread of the process's client loop, in the session's order.
/// A membership stays alive until it has reported `ended`, even if the program keeps no reference to it.
package final class Membership: Sendable {
  /// The observer of a membership. It runs on the loop's thread and must not block.
  package typealias Observer = @Sendable (SessionEvent) -> Void

  /// The id of the session.
  package let session: SessionID
  /// The session's gateway.
  package let gateway: GatewayAddress
  private let profile: Profile
  private let times: ConnectionTimeouts
  private let queue = MembershipQueue()
  /// The observer; nil after it was passed to the loop.
  private let observer: Guarded<Observer?>

  /// Creates a membership. It opens no connection before `waitToJoin` or `join`.
  package convenience init(
    in session: SessionID, at gateway: GatewayAddress, profile: Profile = Profile(),
    observer: @escaping Observer
  ) {
    self.init(in: session, at: gateway, profile: profile, times: ConnectionTimeouts(), observer: observer)
  }

  init(
    in session: SessionID, at gateway: GatewayAddress, profile: Profile, times: ConnectionTimeouts,
    observer: @escaping Observer
  ) {
    self.session = session
    self.gateway = gateway
    self.profile = profile
    self.times = times
    self.observer = Guarded(observer)
  }

  /// Connects, and shows this participant to the other participants as waiting. Before the join, only the session's end is
  /// reported.
  package func waitToJoin() {
    // If the system cannot start the loop, the participant is not listed as waiting. `join` tries again to start the loop.
    guard let loop = try? ClientLoop.shared() else { return }
    start(with: .waitToJoin, on: loop)
  }

  /// Connects and joins. A second call has no effect.
  ///
  /// - Parameter profile: the name and color to show, instead of those given to `init`.
  package func join(as profile: Profile? = nil) {
    if !start(with: .join(profile)) { queue.join(as: profile) }
  }

  /// Sends the pending messages, for at most 5 s, if there is a connection. Sends `leave` afterwards, and waits at most another 5
  /// s until the gateway has received it. Later sends are rejected.
  package func leave() {
    if !start(with: .leave) { queue.leave() }
  }

  /// Ends the session for everyone. Joins the session first if necessary.
  package func end() {
    join()
    queue.enqueue(.end)
  }

  /// Sends a message. Its position among all sent messages is fixed when the call returns. A reliable message is kept until it is
  /// on the gateway's disk. An unreliable message is sent now or dropped.
  ///
  /// - Throws: `AdmissionError` when the message is rejected.
  package func send(_ entry: OutgoingEntry) throws(AdmissionError) {
    try queue.enqueue(entry)
  }

  /// Sets the session's activity for everyone. The change and the other messages of this participant are sent in the order of the
  /// calls.
  ///
  /// - Throws: `AdmissionError` when the change is rejected.
  package func change(_ change: ActivityChange) throws(AdmissionError) {
    try queue.enqueue(change)
  }

  /// Changes the name or color of this participant.
  package func change(_ profile: Profile) {
    queue.enqueue(.changeProfile(profile))
  }

  /// Pauses or resumes reading from the gateway, for a program that cannot process events fast enough.
  package func setReading(_ isReading: Bool) {
    queue.enqueue(.setReading(isReading))
  }

  /// Waits until all earlier messages are on the gateway's disk.
  ///
  /// - Throws: `EndReason` if the session ends during the wait; `CancellationError` if the task is cancelled.
  package func settle() async throws {
    try await queue.settle()
  }

  /// Waits until the membership is over: the session has ended, or the gateway has received `leave`, or the 10 s for `leave` have
  /// passed. If the membership does not end, this function waits until the task is cancelled. It returns immediately if the
  /// membership never began.
  package func finish() async {
    await queue.finish()
  }

  /// The limits in force: the default limits until `joined`, then the limits that `joined` contains.
  package var limits: Limits { queue.limits }

  /// The token of this participant; nil before `joined`. It authorises the creation of a successor of the session, even after
  /// `leave`.
  package var token: Token? { queue.token }

  /// Passes the membership to the loop, unless an earlier call has done so.
  ///
  /// - Returns: false if an earlier call has passed the membership.
  @discardableResult
  private func start(with command: MembershipCommand) -> Bool {
    do throws(SystemError) {
      return start(with: command, on: try ClientLoop.shared())
    } catch {
      guard let observer = observer.withLock({ $0.take() }) else { return false }
      // The observer is called on another thread, because the caller may hold a lock that the observer needs.
      let reason = EndReason.noConnections(error.description)
      queue.ended(reason)
      Task.detached {
        observer(.ended(reason))
        self.queue.finished()
      }
      return true
    }
  }

  @discardableResult
  private func start(with command: MembershipCommand, on loop: ClientLoop) -> Bool {
    guard queue.start(command, on: loop) else { return false }
    guard let observer = observer.withLock({ $0.take() }) else { return false }
    loop.adopt(
      ActiveMembership.Configuration(
        gateway: gateway, session: session, profile: profile, times: times, queue: queue,
        observer: observer))
    return true
  }
}
