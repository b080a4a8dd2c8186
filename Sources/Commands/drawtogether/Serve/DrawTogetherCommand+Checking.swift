internal import Gateway

extension DrawTogetherCommand {
  /// Prints what would be in force, and everything that would keep a gateway from starting with it; starts and changes nothing.
  func check(_ asked: GatewayConfiguration, _ origins: SettingOrigins) -> ExitCode {
    let configuration: GatewayConfiguration
    var result = ExitCode.success
    do {
      let budget: MemoryBudget?
      (configuration, budget) = try fit(try complete(asked), origins)
      // The token that the file holds was given by the file.
      var shown = configuration
      shown.metricsToken = asked.metricsToken
      output(ConfigurationReport.text(shown, origins) + (budget.map(ConfigurationReport.text) ?? ""))
    } catch {
      output(ConfigurationReport.text(asked, origins))
      errors("drawtogether: \(error)\n")
      return .usage
    }
    for fault in StartCheck(configuration).faults() { result = tell(fault, of: configuration) }
    for warning in warnings(of: configuration) + ConfigurationWarnings.ofCertificate(configuration) {
      errors("drawtogether: warning: \(warning).\n")
    }
    return result
  }

  /// What is possible on this machine, and hardly meant.
  func warnings(of configuration: GatewayConfiguration) -> [String] {
    ConfigurationWarnings.all(
      configuration, on: .init(openFiles: DescriptorLimit.most, memory: UsableMemory.ofThisProcess()))
  }
}
