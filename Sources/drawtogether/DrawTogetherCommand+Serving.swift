internal import Gateway

extension DrawTogetherCommand {
  func serve(_ configuration: GatewayConfiguration) -> ExitCode {
    .failure
  }
}
