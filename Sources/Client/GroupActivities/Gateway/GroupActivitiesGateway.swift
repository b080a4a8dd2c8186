import SessionClient
public import FoundationEssentials
import Wire

/// The DrawTogether gateway, which replaces FaceTime. An extension of Apple's API.
///
/// A program sets its gateway once, by `use(_:certificates:)` or by environment variables. `DRAWTOGETHER_GATEWAY` is the
/// gateway's URL, such as `https://draw.example`. `DRAWTOGETHER_GATEWAY_CERTIFICATES` is a PEM file of certificates that are
/// trusted in addition to the system's authorities. All functions may be called on any thread.
public enum GroupActivitiesGateway {
  /// Sets the gateway on which sessions are created.
  ///
  /// - Parameters:
  ///   - url: `http://host[:port]` or `https://host[:port]`.
  ///   - certificates: a PEM file of certificates that are trusted in addition to the system's authorities; nil for
  ///     the file named in the environment, if any.
  /// - Throws: `ConnectionError.badAddress`.
  public static func use(_ url: URL, certificates: String? = nil) throws {
    GatewaySettings.shared.use(try GatewaySettings.address(url, certificates: certificates))
  }

  /// Offers the session of a link to the `sessions()` of the session's activity. A session that this program already has is not
  /// offered again.
  ///
  /// - Parameters:
  ///   - link: `https://host/s/…`, on any gateway.
  ///   - certificates: as for `use(_:certificates:)`. With nil, a link to the current gateway uses that gateway's certificates,
  ///     and any other link uses the file named in the environment.
  /// - Throws: `ConnectionError`: the link is invalid, the session does not exist, or the gateway cannot be reached.
  public static func open(_ link: URL, certificates: String? = nil) async throws {
    let (object, gateway) = try await find(link, certificates)
    ActivityRegistry.shared.offer(object, at: gateway, isLocallyInitiated: false, endsWhenLeft: false)
  }

  /// Returns the session of a link, whatever the session's activity identifier is. Intended for tools, and for two participants
  /// in one program. The session is not offered to `sessions()`.
  ///
  /// - Parameters:
  ///   - link: `https://host/s/…`, on any gateway.
  ///   - type: the activity that the session's payload is decoded as.
  ///   - certificates: as for `open(_:certificates:)`.
  /// - Returns: a new object for each call, in the state `waiting`.
  /// - Throws: `ConnectionError`, or the error of decoding the payload.
  public static func session<ActivityType: GroupActivity>(
    at link: URL, of type: ActivityType.Type = ActivityType.self, certificates: String? = nil
  ) async throws -> GroupSession<ActivityType> {
    let (object, gateway) = try await find(link, certificates)
    return try GroupSession(SessionCoordinator(object, at: gateway, isLocallyInitiated: false))
  }

  /// Sets whether and how the session retains messages of a type for participants that join later.
  ///
  /// Only reliable messages to all participants are retained. A message of a type without a rule is retained as with `append` if
  /// its JSON has a top-level `id` that is a UUID.
  ///
  /// - Parameters:
  ///   - type: the message type.
  ///   - retention: the retention. With `append`, the key is the message's `id`. With `replace`, all messages of the type have
  ///     the same key.
  public static func retain<Message: Codable>(_ type: Message.Type, _ retention: Retention) {
    RetentionRules.shared.set(RetentionRules.Rule(retention: retention, key: nil), for: type)
  }

  /// Sets how the session retains messages of a type for participants that join later, and which property is the key.
  ///
  /// - Parameters:
  ///   - type: the message type.
  ///   - retention: the retention.
  ///   - key: the property that is the key.
  public static func retain<Message: Codable>(
    _ type: Message.Type, _ retention: Retention, key: any KeyPath<Message, UUID> & Sendable
  ) {
    RetentionRules.shared.set(
      RetentionRules.Rule(retention: retention, key: MessageKeyPath(path: key)), for: type)
  }

  /// The retention of a message for participants that join later.
  public enum Retention: Hashable, Sendable {
    /// The message is not retained.
    case none
    /// The message is retained in addition to the earlier messages with the same key, and is delivered after them.
    case append
    /// The message replaces the earlier messages with the same key.
    case replace
  }

  /// The name and color that other participants see.
  public struct Profile: Hashable, Sendable {
    /// 1 to 64 Unicode scalars; nil for a name that the gateway chooses.
    public var name: String?
    /// `#` and six hexadecimal digits; nil for a color that the gateway chooses. The gateway replaces a color that looks like the
    /// color of another person.
    public var color: String?

    /// Creates a profile.
    public init(name: String? = nil, color: String? = nil) {
      self.name = name
      self.color = color
    }
  }

  /// The profile that `join()` uses. `GroupSession.join(as:color:)` and `show(as:color:)` set another profile for one session.
  public static var profile: Profile {
    get { GatewaySettings.shared.profile }
    set { GatewaySettings.shared.profile = newValue }
  }

  /// Sets the closure that answers `prepareForActivation()`; nil for an answer that depends on whether the gateway can be
  /// reached.
  ///
  /// - Parameter decision: called with the activity's identifier and metadata.
  public static func decideActivation(
    by decision: (@Sendable (String, GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) {
    GatewaySettings.shared.decide(by: decision)
  }

  /// A request to show something that Apple's operating systems show themselves.
  @nonexhaustive
  public enum Presentation: Sendable {
    /// An action of a participant in a session, with the participant's name if it is known.
    case notice(GroupSessionEvent, name: String?, session: UUID)
    /// A request to bring the program to the front, made by `requestForegroundPresentation()`.
    case foreground(session: UUID)
  }

  /// Sets the closure that handles `showNotice(_:)` and `requestForegroundPresentation()`; nil to ignore these calls.
  ///
  /// - Parameter presentation: called on the thread that calls one of these functions.
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
    do throws(SessionClientError) {
      return (try await GatewayAPI(found.gateway).session(found.session), found.gateway)
    } catch {
      throw ConnectionError(error)
    }
  }
}
