internal import Primitives
internal import Wire

/// A membership on the client loop, from `join` until it is finished.
///
/// Only the loop's thread may use it.
final class ActiveMembership {
  /// The session, its gateway and its observer: the values that a membership passes to the loop.
  struct Configuration: Sendable {
    let gateway: GatewayAddress
    let session: SessionID
    let profile: Profile
    let times: ConnectionTimeouts
    let queue: MembershipQueue
    let observer: Membership.Observer
  }

  let configuration: Configuration
  var session: ClientSession
  var connection: GatewayConnection?
  /// The time to open a new socket.
  var openAt: MonotonicTime?
  /// True while the socket is read.
  var isReading = true
  /// The released bytes last reported to the queue.
  var releasedBytes = 0

  init(_ configuration: Configuration, now: MonotonicTime) {
    self.configuration = configuration
    session = ClientSession(
      profile: configuration.profile, stableAfter: configuration.times.stableAfter, now: now)
  }

  /// The path of the session's WebSocket.
  var path: String { "/api/sessions/\(configuration.session.text)/socket" }
}
