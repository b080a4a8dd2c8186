extension GroupSession {
  /// Something that somebody did, in words (Apple's type, deprecated there).
  @available(*, deprecated, message: "Use GroupSessionEvent with showNotice(_:) instead.")
  public struct Event: Sendable {
    /// Who did it.
    public let originator: Participant
    /// What was done.
    public let localizedDescription: String

    /// Says who did what.
    public init(originator: Participant, localizedDescription: String) {
      self.originator = originator
      self.localizedDescription = localizedDescription
    }
  }

  /// Shows a notice, as `showNotice(_:)` does (deprecated at Apple's).
  @available(*, deprecated, message: "Use showNotice(_:) instead.")
  public func postEvent(_ event: Event) {
    showNotice(
      GroupSessionEvent(originator: event.originator, action: .other(event.localizedDescription), url: nil))
  }

  /// Shows what somebody did, on this device only: by what `GroupActivitiesGateway.present(by:)` was given, else not at all.
  public func showNotice(_ event: GroupSessionEvent) {
    GatewaySettings.shared.present(.notice(event, name: name(of: event.originator), session: id))
  }

  /// Asks for the program to be brought to the front, while the session is waiting or joined: of what
  /// `GroupActivitiesGateway.present(by:)` was given, else of nobody.
  public func requestForegroundPresentation() {
    if case .invalidated = state { return }
    GatewaySettings.shared.present(.foreground(session: id))
  }

  /// Which scene shows it. Nil: there are no scenes here.
  public var sceneSessionIdentifier: String? { nil }
}
