internal import Gateway
internal import Storage
internal import Wire

/// Warnings about valid settings that are probably mistakes. A gateway starts with such settings, and logs the warnings.
enum ConfigurationWarnings {
  /// The resources available to the process; nil where unknown.
  struct Machine: Sendable {
    var openFiles: Int?
    /// The available memory in bytes.
    var memory: Int?

    /// Creates a value from the known resources.
    init(openFiles: Int? = nil, memory: Int? = nil) {
      self.openFiles = openFiles
      self.memory = memory
    }
  }

  /// Returns the warnings, each one sentence without a full stop.
  static func all(_ configuration: GatewayConfiguration, on machine: Machine) -> [String] {
    var warnings: [String] = []
    let limits = configuration.limits
    for pair in LimitPair.all.prefix(2) where pair.contradicts(limits) {
      let most = Setting.describe(pair.whole, in: limits)
      warnings.append(
        "\(pair.whole.flag) is \(most), less than \(pair.part.flag) (\(Setting.describe(pair.part, in: limits))): "
          + "nothing larger than \(most) can be stored")
    }
    if configuration.certificateFile != nil, configuration.https == nil {
      warnings.append("--tls-cert and --tls-key have no effect while --https is off")
    }
    if configuration.publicURL?.scheme == .https, configuration.https == nil,
      configuration.trustedProxies == 0
    {
      warnings.append(
        "--public-url is https and --https is off, so there must be a proxy: "
          + "without --trust-proxy 1, all clients of the proxy count as one address")
    }
    let reserve = UInt64(clamping: limits.diskReserveBytes)
    if let room = DataFolder.room(for: configuration.dataDirectory),
      room.free < reserve, reserve < room.total
    {
      warnings.append(
        "the disk of --data \(configuration.dataDirectory) has \(SettingValue.rough(size: room.free)) free, "
          + "less than --disk-reserve-bytes (\(SettingValue.describe(size: limits.diskReserveBytes))): "
          + "new sessions and uploads are refused until more space is free")
    }
    let wanted = descriptors(configuration)
    if let openFiles = machine.openFiles, openFiles < wanted {
      warnings.append(
        "--max-connections \(limits.connections) needs \(wanted) open files, but the limit of this process is \(openFiles) (ulimit -n): "
          + "connections are refused before --max-connections is reached")
    }
    if let memory = machine.memory, let budget = configuration.memory, budget > memory / 10 * 9 {
      warnings.append(
        "--memory is \(SettingValue.describe(size: budget)), "
          + "but only \(SettingValue.rough(size: UInt64(clamping: memory))) of memory are available, "
          + "and the kernel needs some of this memory for sockets and files: "
          + "the kernel may kill the process before it reaches --memory; three quarters of the available memory are safe"
      )
    }
    return warnings
  }

  /// Returns the maximum number of descriptors of a gateway: sockets, epoll and event descriptors of the reactors, open logs, and
  /// the files of attachments in transfer.
  static func descriptors(_ configuration: GatewayConfiguration) -> Int {
    let limits = configuration.limits
    return limits.connections + min(limits.uploads, limits.connections) + 8 * configuration.reactors
      + FolderStore.defaultOpenFiles + 64
  }
}
