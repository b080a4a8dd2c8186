import SessionClient
public import FoundationEssentials
import Wire

/// Ours: the DrawTogether gateway that takes the place of FaceTime.
///
/// A program names it once, by `use(_:certificates:)` or in its environment: `DRAWTOGETHER_GATEWAY` is its URL, such as
/// `https://draw.example`, and `DRAWTOGETHER_GATEWAY_CERTIFICATES` a PEM file with certificates that are believed besides
/// the system's authorities. Everything else is Apple's API.
public enum GroupActivitiesGateway {
  /// Names the gateway that sessions are made on.
  ///
  /// - Parameters:
  ///   - url: `http://host[:port]` or `https://host[:port]`.
  ///   - certificates: a PEM file with certificates that are believed besides the system's authorities; nil for that of the
  ///     environment, if any.
  /// - Throws: `ConnectionError.badAddress`, in words.
  public static func use(_ url: URL, certificates: String? = nil) throws {
    GatewaySettings.shared.use(try GatewaySettings.address(url, certificates: certificates))
  }

  /// Offers the session of a link to `sessions()` of its activity; a session that this program is in already is not
  /// offered again.
  ///
  /// - Parameters:
  ///   - link: `https://host/s/…`, on any gateway.
  ///   - certificates: as for `use`; nil for those of the gateway in use if it is that one, else of the environment.
  /// - Throws: `ConnectionError`: no such link, no such session, or the gateway cannot be reached.
  public static func open(_ link: URL, certificates: String? = nil) async throws {
    let (object, gateway) = try await find(link, certificates)
    ActivityRegistry.shared.offer(object, at: gateway, isLocallyInitiated: false, endsWhenLeft: false)
  }

  /// The session of a link, whatever its activity is called: for tools, and for two participants in one program. It is not
  /// offered to `sessions()`.
  ///
  /// - Parameters:
  ///   - link: `https://host/s/…`, on any gateway.
  ///   - type: the activity that its payload is read as.
  ///   - certificates: as for `open`.
  /// - Returns: a new object each time, in the state `waiting`.
  /// - Throws: `ConnectionError`, or what decoding the payload throws.
  public static func session<ActivityType: GroupActivity>(
    at link: URL, of type: ActivityType.Type = ActivityType.self, certificates: String? = nil
  ) async throws -> GroupSession<ActivityType> {
    let (object, gateway) = try await find(link, certificates)
    return try GroupSession(SessionCoordinator(object, at: gateway, isLocallyInitiated: false))
  }

  /// Says how messages of a type are kept for those who join later. Reliable messages to everybody only; without a rule
  /// those are kept by `append` whose JSON has a top-level `id` that is a UUID.
  ///
  /// - Parameters:
  ///   - type: the message type.
  ///   - retention: how; with `append` under the message's `id`, with `replace` under one key for the whole type.
  public static func retain<Message: Codable>(_ type: Message.Type, _ retention: Retention) {
    RetentionRules.shared.set(RetentionRules.Rule(retention: retention, key: nil), for: type)
  }

  /// Says how messages of a type are kept for those who join later, and under which key.
  ///
  /// - Parameters:
  ///   - type: the message type.
  ///   - retention: how.
  ///   - key: the member that is the key.
  public static func retain<Message: Codable>(
    _ type: Message.Type, _ retention: Retention, key: any KeyPath<Message, UUID> & Sendable
  ) {
    RetentionRules.shared.set(
      RetentionRules.Rule(retention: retention, key: MessageKeyPath(path: key)), for: type)
  }

  /// How messages are kept for those who join later.
  public enum Retention: Hashable, Sendable {
    /// Not at all.
    case none
    /// Behind what is kept under the key: all of them.
    case append
    /// Instead of what is kept under the key: the newest.
    case replace
  }

  /// How this program's participants are shown.
  public struct Profile: Hashable, Sendable {
    /// 1 to 64 Unicode scalars; nil for a name that the gateway makes up.
    public var name: String?
    /// `#` and six hex digits; nil for one that the gateway chooses.
    public var color: String?

    /// A name and a color.
    public init(name: String? = nil, color: String? = nil) {
      self.name = name
      self.color = color
    }
  }

  /// How `join()` has this program shown; `GroupSession.join(as:color:)` and `show(as:color:)` say otherwise for one session.
  public static var profile: Profile {
    get { GatewaySettings.shared.profile }
    set { GatewaySettings.shared.profile = newValue }
  }

  /// Has `prepareForActivation()` ask somebody; nil for whether the gateway can be reached.
  ///
  /// - Parameter decision: given the activity's identifier and metadata.
  public static func decideActivation(
    by decision: (@Sendable (String, GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) {
    GatewaySettings.shared.decide(by: decision)
  }

  /// What a system would show.
  @nonexhaustive
  public enum Presentation: Sendable {
    /// Something that somebody did in a session, with what that somebody is called if that is known.
    case notice(GroupSessionEvent, name: String?, session: UUID)
    /// A session wants to be seen.
    case foreground(session: UUID)
  }

  /// Has what `showNotice(_:)` and `requestForegroundPresentation()` ask for shown; nil for not at all.
  ///
  /// - Parameter presentation: called on the thread that asked.
  public static func present(by presentation: (@Sendable (Presentation) -> Void)?) {
    GatewaySettings.shared.present(by: presentation)
  }

  private static func find(_ link: URL, _ certificates: String?) async throws -> (
    SessionObject, GatewayAddress
  ) {
    let found: SessionLink
    do throws(GatewayAddressError) {
      let certificates = certificates ?? GatewaySettings.shared.certificates(forLink: link)
      found = try SessionLink(link, certificates: certificates ?? GatewaySettings.environmentCertificates)
    } catch {
      throw ConnectionError.badAddress("\(error)")
    }
    do throws(RequestFailure) {
      return (try await GatewayAPI(found.gateway).session(found.session), found.gateway)
    } catch {
      throw ConnectionError(error)
    }
  }
}
