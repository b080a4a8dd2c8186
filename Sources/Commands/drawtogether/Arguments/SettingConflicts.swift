internal import Gateway
internal import Wire

/// Checks combinations of settings that are valid individually.
struct SettingConflicts {
  let configuration: GatewayConfiguration
  let origins: SettingOrigins

  /// Throws the first conflict.
  func check() throws(CommandError) {
    try checkListeners()
    try checkCertificate()
    try checkPublicURL()
    try checkToken()
    try checkLimits()
  }

  private func checkListeners() throws(CommandError) {
    guard configuration.http != nil || configuration.https != nil else { throw .noListener }
    if let http = configuration.http, let https = configuration.https, http.overlaps(https) {
      throw .sameAddress(
        "\(name("http")) \(http)", "\(name("https")) \(https)")
    }
  }

  private func checkCertificate() throws(CommandError) {
    switch (configuration.certificateFile, configuration.keyFile) {
    case (.some, nil): throw requires("tls-cert", "tls-key")
    case (nil, .some): throw requires("tls-key", "tls-cert")
    default: break
    }
    // Behind a proxy with TLS, `--hsts` and `--redirect-to-https` apply to the connection between client and proxy.
    let hasProxy = configuration.trustedProxies > 0
    if configuration.sendsStrictTransportSecurity, configuration.https == nil, !hasProxy {
      throw .requires(setting: name("hsts"), other: "--https, or --trust-proxy and a proxy with TLS")
    }
    if configuration.redirectsToHTTPS, !hasProxy, configuration.http == nil || configuration.https == nil {
      throw .requires(setting: name("redirect-to-https"), other: "both --http and --https")
    }
  }

  private func checkPublicURL() throws(CommandError) {
    guard let url = configuration.publicURL, url.scheme == .http else { return }
    if configuration.redirectsToHTTPS {
      throw .insecurePublicURL(name("redirect-to-https"), name("public-url"), url)
    }
    if configuration.sendsStrictTransportSecurity {
      throw .insecurePublicURL(name("hsts"), name("public-url"), url)
    }
  }

  private func checkToken() throws(CommandError) {
    if configuration.metricsToken != nil, configuration.metricsTokenFile != nil {
      throw .bothGiven(name("metrics-token"), name("metrics-token-file"))
    }
  }

  private func checkLimits() throws(CommandError) {
    let limits = configuration.limits
    // If the limit of all sessions were lower than the limit of one session, a session within its own limit would be refused.
    if limits.memoryBytes < limits.sessionLogBytes {
      throw .tooLow(
        setting: name("max-memory-bytes"), value: SettingValue.describe(size: limits.memoryBytes),
        other: name("max-session-log-bytes"), minimum: SettingValue.describe(size: limits.sessionLogBytes))
    }
    for pair in LimitPair.all where pair.contradicts(limits) {
      // If the operator set only one of the two limits, there is no error: the lower limit applies, and the higher limit is never
      // reached.
      guard origins.has(pair.part.settingName), origins.has(pair.whole.settingName) else { continue }
      throw .tooLow(
        setting: name(pair.whole.settingName), value: Setting.describe(pair.whole, in: limits),
        other: name(pair.part.settingName), minimum: Setting.describe(pair.part, in: limits))
    }
  }

  private func requires(_ setting: String, _ other: String) -> CommandError {
    // If the operator set `setting` by an environment variable, the error also names `other` by its environment variable.
    let otherName = origins.name(of: setting).hasPrefix("--") ? "--\(other)" : Self.variable(other)
    return .requires(setting: name(setting), other: otherName)
  }

  private static func variable(_ name: String) -> String {
    Setting.all.first { $0.name == name }?.variable ?? name
  }

  private func name(_ setting: String) -> String { origins.name(of: setting) }
}

/// Two limits of one resource: `whole` limits its total, and `part` limits one share of the total, such as the share of one
/// session.
struct LimitPair {
  let part: LimitDescription
  let whole: LimitDescription

  /// All pairs of limits that are checked only if the operator set both. The pair `memoryBytes` and `sessionLogBytes` is not in
  /// this list: `checkLimits` checks it even if both limits are defaults.
  static let all: [LimitPair] = [
    ("messageBytes", "sessionLogBytes"), ("attachmentBytes", "sessionAttachmentBytes"),
    ("connectionsPerAddress", "connections"), ("catchUpTailBytes", "memoryBytes"),
    ("unsavedSessionBytes", "unsavedBytes"),
  ].compactMap { part, whole in
    guard let part = Limits.all.first(where: { $0.name == part }),
      let whole = Limits.all.first(where: { $0.name == whole })
    else { preconditionFailure("there is no limit named \(part) or \(whole)") }
    return LimitPair(part: part, whole: whole)
  }

  /// Returns true if the limit of one share (`part`) is higher than the limit of the total (`whole`). If `whole` is 0, there is
  /// no conflict, because 0 switches the feature off.
  func contradicts(_ limits: Limits) -> Bool {
    let most = limits[keyPath: whole.keyPath]
    return most > 0 && limits[keyPath: part.keyPath] > most
  }
}

extension LimitDescription {
  /// The name of the setting for this limit.
  var settingName: String { String(flag.dropFirst(2)) }
}
