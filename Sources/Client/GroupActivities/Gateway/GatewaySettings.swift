import SessionClient
import FoundationEssentials
import Platform

/// The gateway that the program uses, and the closures that replace the system's dialogs.
final class GatewaySettings: Sendable {
  /// The settings of the process.
  static let shared = GatewaySettings()

  typealias Decision = @Sendable (String, GroupActivityMetadata) async -> GroupActivityActivationResult

  private struct State {
    var address: GatewayAddress?
    var profile = GroupActivitiesGateway.Profile()
    var decision: Decision?
    var presentation: (@Sendable (GroupActivitiesGateway.Presentation) -> Void)?
    var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }
  private let state = Guarded(State())

  /// The certificates file named in the environment.
  static var environmentCertificates: String? {
    ProcessInfo.processInfo.environment["DRAWTOGETHER_GATEWAY_CERTIFICATES"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Sets the gateway.
  func use(_ address: GatewayAddress?) {
    let observers = state.withLock { state in
      state.address = address
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Returns the gateway that was set, or else the gateway named in the environment.
  ///
  /// - Throws: `noGatewayNamed`, or `badAddress` if the URL in the environment is invalid.
  func address() throws(GroupActivitiesGateway.ConnectionError) -> GatewayAddress {
    if let address = state.withLock({ $0.address }) { return address }
    guard let text = ProcessInfo.processInfo.environment["DRAWTOGETHER_GATEWAY"], !text.isEmpty else {
      throw .noGatewayNamed
    }
    guard let url = URL(string: text) else { throw .badAddress("DRAWTOGETHER_GATEWAY is not a URL: \(text)") }
    return try Self.address(url, certificates: nil)
  }

  /// Parses an address.
  static func address(
    _ url: URL, certificates: String?
  ) throws(GroupActivitiesGateway.ConnectionError) -> GatewayAddress {
    do throws(GatewayAddressError) {
      return try GatewayAddress(url, certificates: certificates ?? environmentCertificates)
    } catch {
      throw .badAddress("\(error)")
    }
  }

  /// Returns the certificates file for a session link: the current gateway's file if the link belongs to the current gateway,
  /// else nil.
  func certificates(forLink url: URL) -> String? {
    // If no gateway is set, there are no certificates.
    guard let address = try? address(), let link = try? SessionLink(url, certificates: address.certificates)
    else { return nil }
    return link.gateway == address ? address.certificates : nil
  }

  var profile: GroupActivitiesGateway.Profile {
    get { state.withLock { $0.profile } }
    set { state.withLock { $0.profile = newValue } }
  }

  func decide(by decision: Decision?) {
    state.withLock { $0.decision = decision }
  }

  func prepare(_ identifier: String, _ metadata: GroupActivityMetadata) async -> GroupActivityActivationResult
  {
    if let decision = state.withLock({ $0.decision }) { return await decision(identifier, metadata) }
    return await isReady() ? .activationPreferred : .activationDisabled
  }

  func present(by presentation: (@Sendable (GroupActivitiesGateway.Presentation) -> Void)?) {
    state.withLock { $0.presentation = presentation }
  }

  func present(_ presentation: GroupActivitiesGateway.Presentation) {
    state.withLock { $0.presentation }?(presentation)
  }

  /// Returns true if a gateway is set and accepts sessions.
  func isReady() async -> Bool {
    guard let address = try? address() else { return false }  // No gateway is set.
    return await GatewayAPI(address).isReady()
  }

  /// Adds a closure that is called each time a gateway is set, until `removeObserver` is called.
  func addObserver(_ observer: AnyObject, _ changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.observers[ObjectIdentifier(observer)] = changed }
  }

  func removeObserver(_ observer: ObjectIdentifier) {
    state.withLock { $0.observers[observer] = nil }
  }
}
