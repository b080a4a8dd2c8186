/// Something that people do together, and all that stays the same while they do it (Apple's `GroupActivity`).
///
/// Its stored properties travel as the activity's payload, JSON of at most 16,384 bytes. One without any is told by `{}`,
/// and so is a session that a page made without a payload.
public protocol GroupActivity: Codable, SendableMetatype {
  /// Which program understands it; 1 to 128 Unicode scalars, and matched without regard to case. The name of the type,
  /// unless said otherwise.
  static var activityIdentifier: String { get }

  /// What people read about it. Asked when it is activated, and when a session is given another activity.
  var metadata: GroupActivityMetadata { get async }
}

extension GroupActivity {
  /// The sequence that `sessions()` gives.
  public typealias Sessions = GroupSession<Self>.Sessions

  /// The name of the type, without the module's: a page calls `DrawTogether` `drawtogether`.
  public static var activityIdentifier: String { String(describing: Self.self) }

  /// The sessions of this activity that this program may join, each given once as it comes up.
  ///
  /// A session comes up by `activate()`, by `GroupActivitiesGateway.open(_:)`, and when a session that this program is in
  /// gets a successor. What came up before anybody asked waits; of several sequences each is given all that come up from
  /// then on.
  public static func sessions() -> Sessions {
    Sessions()
  }

  /// Asks whether to do this together: whoever `GroupActivitiesGateway.decideActivation` names, else whether the gateway
  /// can be reached.
  ///
  /// - Returns: `activationPreferred` to go on with `activate()`, `activationDisabled` to do it alone, `cancelled` to let
  ///   it be.
  public func prepareForActivation() async -> GroupActivityActivationResult {
    let metadata = await self.metadata
    return await GatewaySettings.shared.prepare(Self.activityIdentifier, metadata)
  }

  /// Makes a session for this activity on the gateway and offers it to `sessions()`.
  ///
  /// When this program is in a session of the same activity, or left one within the last 10 s, the new one is that one's
  /// successor, and whoever was in the old one is offered it too. Two activations of the same at once are one session.
  ///
  /// - Returns: true: the session is offered to this program.
  /// - Throws: `GroupActivitiesGateway.ConnectionError`, in words: no gateway is named, it cannot be reached, or it refuses.
  public func activate() async throws -> Bool {
    let payload = try ActivityPayloadCoding.encode(self)
    let metadata = await self.metadata
    try await Activation(identifier: Self.activityIdentifier, metadata: metadata, payload: payload).perform()
    return true
  }
}
