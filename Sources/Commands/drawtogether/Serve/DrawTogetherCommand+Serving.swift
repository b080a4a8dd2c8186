internal import CLinux
internal import Gateway
internal import Glibc
internal import Synchronization
internal import Networking
internal import Platform
internal import Primitives

extension DrawTogetherCommand {
  /// Limits the number of memory pools of glibc's allocator to one more than the number of cores, which is enough to avoid most
  /// waiting. By default, there are up to eight for each core. Each pool keeps freed memory for its own threads: after two million
  /// entries with a history, the gateway had 97 MiB instead of 57.
  private func limitArenas() {
    // glibc has read this variable already, and the call would override it.
    guard environment["MALLOC_ARENA_MAX"] == nil else { return }
    clinux_limit_arenas(CInt(clamping: UsableCores.ofThisProcess() + 1))
  }

  /// The maximum time for writing the remaining log lines at the end, if the process that reads the log no longer reads.
  private static let logFlushTime = Duration.seconds(1)

  /// Runs a gateway until a signal stops it.
  ///
  /// The first SIGTERM or SIGINT drains the gateway, the second stops it immediately; SIGHUP reloads the certificate.
  func serve(_ asked: GatewayConfiguration, _ origins: SettingOrigins) throws(CommandError) -> ExitCode {
    let begun = MonotonicTime.now()
    let configuration = try fit(try complete(asked), origins).configuration
    DescriptorLimit.raise()
    limitArenas()
    let format = configuration.logFormat ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
    try StartCheck(configuration).beforeStart()
    do {
      let log = try Log(
        writingBehind: configuration.logLevel, format: format, addresses: configuration.logAddresses)
      // If the start fails, all log lines are written before the error is printed.
      defer { log.finish(within: Self.logFlushTime) }
      // `SignalLoop` blocks the signals before any other thread exists, so that no other thread receives them.
      let signals = try SignalLoop()
      let gateway = try Gateway(configuration: configuration, log: log)
      let addresses = try gateway.start()
      let watchdog = Watchdog(ServiceManager(environment: environment, process: getpid()), log: log)
      let handler = SignalHandler(gateway: gateway, watchdog: watchdog, log: log)
      try signals.start { handler.handle($0) }
      let startDuration = MonotonicTime.now() - begun
      let nameWarnings =
        gateway.certificateInUse.map { ConfigurationWarnings.ofNames($0, configuration) } ?? []
      for warning in warnings(of: configuration) + nameWarnings {
        log(.warning, "configuration", ["reason": .string(warning)])
      }
      let notice = ReadyNotice(
        http: addresses.http, https: addresses.https,
        interfaces: AlternativeNames.ofThisMachine().addresses, startDuration: startDuration,
        configuration: configuration,
        data: gateway.dataFolderUsage(within: .milliseconds(50)),
        certificateEnd: gateway.certificateEnd)
      output(format == .json ? notice.json : notice.text)
      log(
        .info, "started",
        [
          "version": "\(Product.version)", "http": "\(addresses.http.map { "\($0)" } ?? "off")",
          "https": "\(addresses.https.map { "\($0)" } ?? "off")", "reactors": .number(configuration.reactors),
          "data": "\(configuration.dataDirectory)", "ms": .milliseconds(.now() - begun),
        ])
      try watchdog.start(gateway)
      gateway.waitUntilStopped()
      log(.info, "stopped", ["ms": .milliseconds(.now() - begun)])
      return .success
    } catch let error as GatewayError {
      throw CommandError(error, of: configuration)
    } catch {
      errors("drawtogether: \(error)\n")
      return .failure
    }
  }

  /// Returns the configuration with the metrics token, which is read from its file, and with the folder of the web page's files
  /// on this machine.
  func complete(_ asked: GatewayConfiguration) throws(CommandError) -> GatewayConfiguration {
    var configuration = try SecretFile.readToken(of: asked)
    let found = PublicDirectory.find(
      asked.publicDirectory, isDefault: asked.publicDirectory == GatewayConfiguration().publicDirectory,
      program: PublicDirectory.program(), hasPage: PublicDirectory.hasPage)
    if found != asked.publicDirectory {
      configuration.publicDirectory = PublicDirectory.realPath(found) ?? found
    }
    return configuration
  }

  /// Returns the configuration with limits that fit into the available memory, and the division of this memory (`budget`). If the
  /// amount of memory is unknown, the limits stay unchanged and the budget is nil.
  func fit(
    _ asked: GatewayConfiguration, _ origins: SettingOrigins
  ) throws(CommandError) -> (configuration: GatewayConfiguration, budget: MemoryBudget?) {
    guard let memory = asked.memory ?? UsableMemory.ofThisProcess().map(MemoryBudget.standard) else {
      return (asked, nil)
    }
    let budget = try MemoryBudget(of: memory, for: asked, origins)
    var configuration = asked
    configuration.memory = memory
    configuration.limits = budget.limits
    return (configuration, budget)
  }
}

/// Handles the signals of a running gateway.
private final class SignalHandler: Sendable {
  private let gateway: Gateway
  private let watchdog: Watchdog
  private let log: Log
  private let isDraining = Atomic(false)

  init(gateway: Gateway, watchdog: Watchdog, log: Log) {
    self.gateway = gateway
    self.watchdog = watchdog
    self.log = log
  }

  func handle(_ signal: SignalReceiver.Signal) {
    switch signal {
    case .reload:
      gateway.reloadCertificate()
    case .terminate where isDraining.exchange(true, ordering: .relaxed):
      log(.warning, "stopping at once")
      gateway.stop()
    case .terminate:
      log(.info, "draining")
      watchdog.stop()
      gateway.drain()
    }
  }
}
