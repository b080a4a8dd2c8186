extension GroupSession {
  /// An action of a participant, described by a text (Apple's type, which Apple has deprecated).
  @available(*, deprecated, message: "Use GroupSessionEvent with showNotice(_:) instead.")
  public struct Event: Sendable {
    /// The participant that performed the action.
    public let originator: Participant
    /// The description of the action.
    public let localizedDescription: String

    /// Creates an event.
    public init(originator: Participant, localizedDescription: String) {
      self.originator = originator
      self.localizedDescription = localizedDescription
    }
  }

  /// Shows a notice about a participant's action, as `showNotice(_:)` does (deprecated in Apple's API).
  @available(*, deprecated, message: "Use showNotice(_:) instead.")
  public func postEvent(_ event: Event) {
    showNotice(
      GroupSessionEvent(originator: event.originator, action: .other(event.localizedDescription), url: nil))
  }

  /// Shows a notice about a participant's action to the user of this device. Calls the closure given to
  /// `GroupActivitiesGateway.present(by:)`.
  public func showNotice(_ event: GroupSessionEvent) {
    GatewaySettings.shared.present(.notice(event, name: name(of: event.originator), session: id))
  }

  /// Requests that the program be brought to the front. Calls the closure given to `GroupActivitiesGateway.present(by:)`. Does
  /// nothing after the session was invalidated.
  public func requestForegroundPresentation() {
    if case .invalidated = state { return }
    GatewaySettings.shared.present(.foreground(session: id))
  }

  /// The scene that shows the session. Always nil, because programs on Linux have no scenes.
  public var sceneSessionIdentifier: String? { nil }
}
