internal import Platform
package import Wire

/// One participant's place in one session: joins, stays joined over cut connections, sends and is told.
///
/// Any thread may call it; it calls back on the thread of the process's one client loop, in the session's order. It lives
/// until `ended` was told, whoever still refers to it.
package final class Membership: Sendable {
  /// Where it is told what happens; on the loop's thread, and must not block.
  package typealias Observer = @Sendable (SessionEvent) -> Void

  /// The session.
  package let session: SessionID
  /// Its gateway.
  package let gateway: GatewayAddress
  private let profile: Profile
  private let times: ConnectionTimeouts
  private let queue = MembershipQueue()
  /// Given to the loop by the first call that needs it, and let go of.
  private let observer: Guarded<Observer?>

  /// A place in a session; nothing is done before `waitToJoin` or `join`.
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

  /// Connects, and shows this participant to the others as waiting. Of that, only the session's end is reported.
  package func waitToJoin() {
    // Without a loop the others do not see it wait; `join` tries again.
    guard let loop = try? ClientLoop.shared() else { return }
    start(with: .waitToJoin, on: loop)
  }

  /// Connects and joins; once.
  ///
  /// - Parameter profile: the name and color to be shown, in place of those given to `init`.
  package func join(as profile: Profile? = nil) {
    if !start(with: .join(profile)) { queue.join(as: profile) }
  }

  /// Sends what waits if there is a connection (for at most 5 s), leaves, and gives the token up (5 s more at most). Nothing is
  /// taken any more.
  package func leave() {
    if !start(with: .leave) { queue.leave() }
  }

  /// Ends the session for everyone; joins it for that, if it was not.
  package func end() {
    join()
    queue.enqueue(.end)
  }

  /// Takes a message: its place among all sends is taken before this returns. What is reliable is sent once there is a
  /// connection, and kept until it is on the gateway's disk; what is unreliable is sent now or never.
  ///
  /// - Throws: `AdmissionError`, when nothing was taken.
  package func send(_ entry: OutgoingEntry) throws(AdmissionError) {
    try queue.enqueue(entry)
  }

  /// Sets the session's activity for everyone, in the order of sends.
  ///
  /// - Throws: `AdmissionError`, when it was not taken.
  package func change(_ change: ActivityChange) throws(AdmissionError) {
    try queue.enqueue(change)
  }

  /// Changes how this participant is shown.
  package func change(_ profile: Profile) {
    queue.enqueue(.changeProfile(profile))
  }

  /// Stops to read from the gateway, or goes on: for who is told more than it can take.
  package func setReading(_ isReading: Bool) {
    queue.enqueue(.setReading(isReading))
  }

  /// Waits until all that was taken by `send` before is on the gateway's disk.
  ///
  /// - Throws: `EndReason` when the session is over before that; `CancellationError`.
  package func settle() async throws {
    try await queue.settle()
  }

  /// Waits until nothing more comes of it: it has ended, or after `leave` the gateway was told, or its 10 s are over; for ever
  /// when neither happens, unless the task is cancelled. At once when it never began.
  package func finish() async {
    await queue.finish()
  }

  /// The limits in force: those of `joined`, or the defaults before.
  package var limits: Limits { queue.limits }

  /// What proves who this participant is; nil before `joined`. Good for `follows` after `leave` too.
  package var token: Token? { queue.token }

  /// Has the loop take this on, once; whether that was now.
  @discardableResult
  private func start(with command: MembershipCommand) -> Bool {
    do throws(SystemError) {
      return start(with: command, on: try ClientLoop.shared())
    } catch {
      guard let observer = observer.withLock({ $0.take() }) else { return false }
      // Not from here: whoever called may hold what the observer needs.
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
