package import Wire

/// One participant's place in one session: joins, stays joined over cut connections, sends and is told.
///
/// Any thread may call it; it calls back on the thread of the process's one client loop, in the session's order. It lives
/// until `ended` was told, whoever still refers to it.
package final class Membership: Sendable {
  /// Where it is told what happens; on the loop's thread, and must not block.
  package typealias Observer = @Sendable (Notice) -> Void

  /// The session.
  package let session: SessionID
  /// Its gateway.
  package let gateway: GatewayAddress

  /// A place in a session; nothing is done before `join`.
  package init(
    in session: SessionID, at gateway: GatewayAddress, profile: Profile = Profile(),
    observer: @escaping Observer
  ) {
    self.session = session
    self.gateway = gateway
  }

  /// Connects and joins; once.
  package func join() {
    fatalError()
  }

  /// Sends what waits if there is a connection (for at most 5 s), leaves, and gives the token up.
  package func leave() {
    fatalError()
  }

  /// Ends the session for everyone.
  package func end() {
    fatalError()
  }

  /// Takes a message: its place among all sends is taken before this returns. What is reliable is sent once there is a
  /// connection, and kept until it is on the gateway's disk; what is unreliable is sent now or never.
  ///
  /// - Throws: `SendRefusal`, when nothing was taken.
  package func send(_ entry: OutgoingEntry) throws(SendRefusal) {
    fatalError()
  }

  /// Sets the session's activity for everyone, in the order of sends.
  package func change(_ change: ActivityChange) throws(SendRefusal) {
    fatalError()
  }

  /// Changes how this participant is shown.
  package func change(_ profile: Profile) {
    fatalError()
  }

  /// Stops to read from the gateway, or goes on: for who is told more than it can take.
  package func setReading(_ isReading: Bool) {
    fatalError()
  }

  /// Waits until all that was taken by `send` before is on the gateway's disk.
  ///
  /// - Throws: `EndReason` when the session is over before that; `CancellationError`.
  package func settle() async throws {
    fatalError()
  }

  /// The limits in force: those of `joined`, or the defaults before.
  package var limits: Limits { fatalError() }

  /// What proves who this participant is; nil before `joined`. Good for `follows` after `leave` too.
  package var token: Token? { fatalError() }
}
