internal import Gateway
internal import Wire

/// Settings that are good each by itself, looked at together.
struct CombinedSettings {
  let configuration: GatewayConfiguration
  let origins: SettingOrigins

  /// Throws the first fault.
  func check() throws(ConfigurationError) {
    try checkListeners()
    try checkCertificate()
    try checkPublicURL()
    try checkToken()
    try checkLimits()
  }

  private func checkListeners() throws(ConfigurationError) {
    guard configuration.http != nil || configuration.https != nil else { throw .nothingToServe }
    if let http = configuration.http, let https = configuration.https, http.overlaps(https) {
      throw .sameAddress(
        "\(name("http")) \(http)", "\(name("https")) \(https)")
    }
  }

  private func checkCertificate() throws(ConfigurationError) {
    switch (configuration.certificateFile, configuration.keyFile) {
    case (.some, nil): throw needs("tls-cert", "tls-key")
    case (nil, .some): throw needs("tls-key", "tls-cert")
    default: break
    }
    // Behind a proxy that speaks TLS both mean what the client sees.
    let hasProxy = configuration.trustedProxies > 0
    if configuration.sendsStrictTransportSecurity, configuration.https == nil, !hasProxy {
      throw .needs(setting: name("hsts"), other: "--https, or --trust-proxy and a proxy that speaks TLS")
    }
    if configuration.redirectsToHTTPS, !hasProxy, configuration.http == nil || configuration.https == nil {
      throw .needs(setting: name("redirect-to-https"), other: "both --http and --https")
    }
  }

  private func checkPublicURL() throws(ConfigurationError) {
    guard let url = configuration.publicURL, url.scheme == .http else { return }
    if configuration.redirectsToHTTPS {
      throw .closesPublicURL(name("redirect-to-https"), name("public-url"), url)
    }
    if configuration.sendsStrictTransportSecurity {
      throw .closesPublicURL(name("hsts"), name("public-url"), url)
    }
  }

  private func checkToken() throws(ConfigurationError) {
    if configuration.metricsToken != nil, configuration.metricsTokenFile != nil {
      throw .bothGiven(name("metrics-token"), name("metrics-token-file"))
    }
  }

  private func checkLimits() throws(ConfigurationError) {
    let limits = configuration.limits
    // Else a session that keeps within its own limit would be refused for what all together hold.
    if limits.memoryBytes < limits.sessionLogBytes {
      throw .lessThan(
        setting: name("max-memory-bytes"), value: SettingValue.describe(size: limits.memoryBytes),
        other: name("max-session-log-bytes"), least: SettingValue.describe(size: limits.sessionLogBytes))
    }
    for pair in LimitPair.all where pair.contradicts(limits) {
      // A default gives way in silence to the limit that somebody set: it is only one that is never met.
      guard origins.has(pair.part.settingName), origins.has(pair.whole.settingName) else { continue }
      throw .lessThan(
        setting: name(pair.whole.settingName), value: Setting.describe(pair.whole, in: limits),
        other: name(pair.part.settingName), least: Setting.describe(pair.part, in: limits))
    }
  }

  private func needs(_ setting: String, _ other: String) -> ConfigurationError {
    // Who sets one by a variable would set the other so.
    let otherName = origins.name(of: setting).hasPrefix("--") ? "--\(other)" : Self.variable(other)
    return .needs(setting: name(setting), other: otherName)
  }

  private static func variable(_ name: String) -> String {
    Setting.all.first { $0.name == name }?.variable ?? name
  }

  private func name(_ setting: String) -> String { origins.name(of: setting) }
}

/// Two limits of which one is for a part of what the other is for.
struct LimitPair {
  let part: LimitDescription
  let whole: LimitDescription

  /// All pairs, but that of memory and a session's log, which holds for the defaults too.
  static let all: [LimitPair] = [
    ("messageBytes", "sessionLogBytes"), ("attachmentBytes", "sessionAttachmentBytes"),
    ("connectionsPerAddress", "connections"), ("catchUpTailBytes", "memoryBytes"),
    ("unsavedSessionBytes", "unsavedBytes"),
  ].compactMap { part, whole in
    guard let part = Limits.all.first(where: { $0.name == part }),
      let whole = Limits.all.first(where: { $0.name == whole })
    else { preconditionFailure("limits of the contract") }
    return LimitPair(part: part, whole: whole)
  }

  /// Whether the part may be more than the whole. Nothing at all is allowed: it switches off what is limited.
  func contradicts(_ limits: Limits) -> Bool {
    let most = limits[keyPath: whole.keyPath]
    return most > 0 && limits[keyPath: part.keyPath] > most
  }
}

extension LimitDescription {
  /// The name of its setting.
  var settingName: String { String(flag.dropFirst(2)) }
}
