import SessionClient
import FoundationEssentials
import Platform

/// Which gateway the program uses, and what it does itself instead of a system.
final class GatewaySettings: Sendable {
  /// The process's one.
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

  /// The certificates file of the environment.
  static var environmentCertificates: String? {
    ProcessInfo.processInfo.environment["DRAWTOGETHER_GATEWAY_CERTIFICATES"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Names the gateway.
  func use(_ address: GatewayAddress?) {
    let observers = state.withLock { state in
      state.address = address
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// The gateway that was named, or else that of the environment.
  ///
  /// - Throws: `noGatewayNamed`, or what is wrong with the one of the environment.
  func address() throws(GroupActivitiesGateway.ConnectionError) -> GatewayAddress {
    if let address = state.withLock({ $0.address }) { return address }
    guard let text = ProcessInfo.processInfo.environment["DRAWTOGETHER_GATEWAY"], !text.isEmpty else {
      throw .noGatewayNamed
    }
    guard let url = URL(string: text) else { throw .badAddress("DRAWTOGETHER_GATEWAY is no URL: \(text)") }
    return try Self.address(url, certificates: nil)
  }

  /// Reads an address.
  static func address(
    _ url: URL, certificates: String?
  ) throws(GroupActivitiesGateway.ConnectionError) -> GatewayAddress {
    do throws(GatewayAddressError) {
      return try GatewayAddress(url, certificates: certificates ?? environmentCertificates)
    } catch {
      throw .badAddress("\(error)")
    }
  }

  /// The certificates that are believed at an address: as for the gateway in use, if it is that one.
  func certificates(forLink url: URL) -> String? {
    // Without a gateway in use there are none to tell.
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

  /// Whether there is a gateway, and it takes sessions.
  func isReady() async -> Bool {
    guard let address = try? address() else { return false }  // none named: not ready
    return await GatewayAPI(address).isReady()
  }

  /// Calls back each time another gateway is named, until `ignore`.
  func addObserver(_ observer: AnyObject, _ changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.observers[ObjectIdentifier(observer)] = changed }
  }

  func removeObserver(_ observer: ObjectIdentifier) {
    state.withLock { $0.observers[observer] = nil }
  }
}
