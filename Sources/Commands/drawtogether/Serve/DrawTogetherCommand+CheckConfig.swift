internal import Gateway

extension DrawTogetherCommand {
  /// Prints the settings in force and all errors that would prevent a start. Does not start a gateway or change files.
  func check(_ asked: GatewayConfiguration, _ origins: SettingOrigins) -> ExitCode {
    let configuration: GatewayConfiguration
    var result = ExitCode.success
    do throws(CommandError) {
      let budget: MemoryBudget?
      (configuration, budget) = try fit(try complete(asked), origins)
      // The report shows the path of the token file instead of the token.
      var shown = configuration
      shown.metricsToken = asked.metricsToken
      output(ConfigurationReport.text(shown, origins) + (budget.map(ConfigurationReport.text) ?? ""))
    } catch {
      output(ConfigurationReport.text(asked, origins))
      return report(error)
    }
    for error in StartCheck(configuration).errors() { result = report(error) }
    for warning in warnings(of: configuration) + ConfigurationWarnings.ofCertificate(configuration) {
      errors("drawtogether: warning: \(warning).\n")
    }
    return result
  }

  /// Returns the warnings about a configuration on this machine.
  func warnings(of configuration: GatewayConfiguration) -> [String] {
    ConfigurationWarnings.all(
      configuration, on: .init(openFiles: DescriptorLimit.maximum, memory: UsableMemory.ofThisProcess()))
  }
}
