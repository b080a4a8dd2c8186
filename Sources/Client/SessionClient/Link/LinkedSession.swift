internal import Primitives
internal import Wire

/// A membership as the loop has it, from `join` until nothing more comes of it.
///
/// It belongs to the loop and is touched on its thread only.
final class LinkedSession {
  /// Where it and its gateway are, and who is told; what a membership hands to the loop.
  struct Place: Sendable {
    let gateway: GatewayAddress
    let session: SessionID
    let profile: Profile
    let times: LinkTimes
    let desk: MembershipDesk
    let observer: Membership.Observer
  }

  let place: Place
  var session: ClientSession
  var connection: GatewayConnection?
  /// When a new socket is to be opened.
  var openAt: MonotonicTime?
  /// Whether its socket is read: what the session wanted when that was last looked at.
  var isReading = true
  /// What the desk was last told of.
  var releasedBytes = 0

  init(_ place: Place, now: MonotonicTime) {
    self.place = place
    session = ClientSession(profile: place.profile, lasting: place.times.lasting, now: now)
  }

  /// Where the socket of the session is.
  var path: String { "/api/sessions/\(place.session.text)/socket" }
}
