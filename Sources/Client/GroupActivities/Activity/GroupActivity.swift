/// An activity that the participants of a session do together (Apple's `GroupActivity`).
///
/// The stored properties are the session's payload: JSON of at most 16,384 bytes. An activity without properties is sent without
/// a payload. A session without a payload, for example one that a web page created, is decoded from `{}`.
public protocol GroupActivity: Codable, SendableMetatype {
  /// The identifier of the activity in all programs that understand it: 1 to 128 Unicode scalars, compared case-insensitively.
  /// The default is the name of the type.
  static var activityIdentifier: String { get }

  /// The title and kind that people see. Read when the activity is activated and when a session changes its activity.
  var metadata: GroupActivityMetadata { get async }
}

extension GroupActivity {
  /// The sequence that `sessions()` returns.
  public typealias Sessions = GroupSession<Self>.Sessions

  /// The name of the type without its module. Identifiers are compared case-insensitively, so the name `DrawTogether` matches the
  /// web page's identifier `drawtogether`.
  public static var activityIdentifier: String { String(describing: Self.self) }

  /// Returns the sessions of this activity that this program may join, each once.
  ///
  /// A session is offered by `activate()`, by `GroupActivitiesGateway.open(_:)`, and when a session that this program has joined
  /// gets a successor. Sessions offered before the first iterator exists are kept for that iterator. After that, every iterator
  /// receives every session that is offered.
  public static func sessions() -> Sessions {
    Sessions()
  }

  /// Returns the user's choice between a session and solo use. The closure given to
  /// `GroupActivitiesGateway.decideActivation(by:)` makes the choice. Without such a closure, the choice is a session if the
  /// gateway can be reached.
  ///
  /// - Returns: `activationPreferred` to continue with `activate()`, `activationDisabled` to run the activity alone,
  ///   `cancelled` to do nothing.
  public func prepareForActivation() async -> GroupActivityActivationResult {
    let metadata = await self.metadata
    return await GatewaySettings.shared.prepare(Self.activityIdentifier, metadata)
  }

  /// Creates a session for this activity on the gateway and offers it to `sessions()`.
  ///
  /// If this program is in a session of the same activity, or left one within the last 10 s, the new session is the successor of
  /// that session, and the successor is also offered to that session's participants. Two concurrent activations of equal
  /// activities create one session.
  ///
  /// - Returns: always true. If the session cannot be created, the function throws an error instead.
  /// - Throws: `GroupActivitiesGateway.ConnectionError`: no gateway is set, the gateway cannot be reached, or the gateway refuses
  ///   the session.
  public func activate() async throws -> Bool {
    let payload = try ActivityPayloadCoding.encode(self)
    let metadata = await self.metadata
    try await Activation(identifier: Self.activityIdentifier, metadata: metadata, payload: payload).perform()
    return true
  }
}
