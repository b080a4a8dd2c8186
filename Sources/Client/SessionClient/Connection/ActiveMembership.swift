internal import Primitives
internal import Wire

/// A membership as the loop has it, from `join` until nothing more comes of it.
///
/// It belongs to the loop and is touched on its thread only.
final class ActiveMembership {
  /// Where it and its gateway are, and who is told; what a membership hands to the loop.
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
  /// When a new socket is to be opened.
  var openAt: MonotonicTime?
  /// Whether its socket is read: what the session wanted when that was last looked at.
  var isReading = true
  /// What the desk was last told of.
  var releasedBytes = 0

  init(_ configuration: Configuration, now: MonotonicTime) {
    self.configuration = configuration
    session = ClientSession(profile: configuration.profile, lasting: configuration.times.lasting, now: now)
  }

  /// Where the socket of the session is.
  var path: String { "/api/sessions/\(configuration.session.text)/socket" }
}
