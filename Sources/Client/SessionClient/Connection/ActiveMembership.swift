internal import Primitives
internal import Wire

/// The client loop's state of one membership, from `waitToJoin` or `join` until the membership is finished.
///
/// Only the loop's thread may use it.
final class ActiveMembership {
  /// The values that a `Membership` passes to the loop when it starts.
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
  /// The time at which a new socket is opened.
  var openAt: MonotonicTime?
  /// True unless reading from the socket is paused.
  var isReading = true
  /// The number of released bytes that was last reported to the queue.
  var releasedBytes = 0

  init(_ configuration: Configuration, now: MonotonicTime) {
    self.configuration = configuration
    session = ClientSession(
      profile: configuration.profile, stableAfter: configuration.times.stableAfter, now: now)
  }

  /// The path of the session's WebSocket.
  var path: String { "/api/sessions/\(configuration.session.text)/socket" }
}
