internal import Gateway
internal import Storage
internal import Wire

/// What is possible, and hardly what was meant: a gateway starts with it, and says so.
enum ConfigurationWarnings {
  /// What the process may have of its machine; `nil` where that is not known.
  struct Machine: Sendable {
    var openFiles: Int?
    /// Bytes of memory.
    var memory: Int?

    /// A machine of which that much is known.
    init(openFiles: Int? = nil, memory: Int? = nil) {
      self.openFiles = openFiles
      self.memory = memory
    }
  }

  /// One sentence for each, without a full stop.
  static func all(_ configuration: GatewayConfiguration, on machine: Machine) -> [String] {
    var warnings: [String] = []
    let limits = configuration.limits
    for pair in LimitPair.all.prefix(2) where pair.contradicts(limits) {
      let most = Setting.describe(pair.whole, in: limits)
      warnings.append(
        "\(pair.whole.flag) is \(most), which is less than the \(Setting.describe(pair.part, in: limits)) of "
          + "\(pair.part.flag): nothing larger than \(most) is ever kept")
    }
    if configuration.certificateFile != nil, configuration.https == nil {
      warnings.append("--tls-cert and --tls-key have no effect while --https is off")
    }
    if configuration.publicURL?.scheme == .https, configuration.https == nil,
      configuration.trustedProxies == 0
    {
      warnings.append(
        "--public-url is https and --https is off, so there is a proxy in front: without --trust-proxy 1 all who come by it "
          + "count as one address")
    }
    let reserve = UInt64(clamping: limits.diskReserveBytes)
    if let room = DataFolder.room(for: configuration.dataDirectory),
      room.free < reserve, reserve < room.total
    {
      warnings.append(
        "the disk of --data \(configuration.dataDirectory) has \(SettingValue.rough(size: room.free)) free, and "
          + "--disk-reserve-bytes keeps \(SettingValue.describe(size: limits.diskReserveBytes)): no session or upload begins "
          + "until there is more")
    }
    let wanted = descriptors(configuration)
    if let openFiles = machine.openFiles, openFiles < wanted {
      warnings.append(
        "--max-connections \(limits.connections) needs \(wanted) open files, and this process may have \(openFiles) "
          + "(ulimit -n): connections are turned away before there are that many")
    }
    if let memory = machine.memory, let budget = configuration.memory, budget > memory / 10 * 9 {
      warnings.append(
        "--memory is \(SettingValue.describe(size: budget)), and this process may have "
          + "\(SettingValue.rough(size: UInt64(clamping: memory))) of memory, of which the kernel takes some for its sockets and files: "
          + "it may be killed before it refuses more; three quarters of that are safe")
    }
    return warnings
  }

  /// How many descriptors a gateway may need at once: a socket for each connection, what each reactor waits by, the logs that
  /// are kept open, and the file of each attachment that is moved.
  static func descriptors(_ configuration: GatewayConfiguration) -> Int {
    let limits = configuration.limits
    return limits.connections + min(limits.uploads, limits.connections) + 8 * configuration.reactors
      + SessionStore.defaultOpenFiles + 64
  }
}
