internal import Storage
package import Networking
internal import Platform
package import Primitives

/// The gateway: its reactors and listeners, its start and its stop.
package final class Gateway: Sendable {
  /// The bound addresses.
  package struct BoundAddresses: Sendable {
    package let http: SocketAddress?
    package let https: SocketAddress?
  }

  let shared: SharedState
  private let reactors: [Reactor]
  private let commands = Guarded<CommandService?>(nil)
  /// The number of threads for the bytes of attachments. With two, one that waits for the disk does not delay all transfers.
  static let transferThreads = 2

  /// The time to wait for reads and writes of files after all reactors have stopped.
  private static let fileTime = Duration.milliseconds(500)

  /// Reads the page's files and the certificate; binds no address yet.
  ///
  /// - Parameters:
  ///   - configuration: the settings.
  ///   - log: the log of events.
  /// - Throws: a `GatewayError` with a message for the operator.
  package convenience init(configuration: GatewayConfiguration, log: Log) throws(GatewayError) {
    try self.init(configuration: configuration, log: log, clock: .ofThisMachine) { $0 }
  }

  /// Creates a gateway with a disk that may fail and a clock that may be wrong, for tests.
  init(
    configuration: GatewayConfiguration, log: Log, clock: GatewayClock = .ofThisMachine,
    disk: (FolderDisk) -> any SessionDisk
  ) throws(GatewayError) {
    let files = try StaticFiles.load(directory: configuration.publicDirectory)
    let data: DataFolder
    do throws(DataFolderError) {
      data = try DataFolder(opening: configuration.dataDirectory)
    } catch {
      throw .dataFolder(error)
    }
    if let earlier = data.earlierFormat {
      log(.info, "data folder upgraded", ["from": .number(earlier), "to": .number(DataFolder.format)])
    }
    let source = configuration.https.map { _ in CertificateSource(configuration) }
    let pair = try source.map { source throws(GatewayError) in try Self.pair(from: source, log) }
    let fileThreads: FileThreads
    do throws(SystemError) {
      fileThreads = try FileThreads(transfers: Self.transferThreads)
    } catch {
      throw .system(error)
    }
    let generation: String
    let store: any SessionStore
    let attachments: FolderAttachments
    do throws(StorageError) {
      (store, attachments, generation) = try Self.openStores(
        data, configuration, disk, on: fileThreads.saving)
    } catch {
      throw .storage(configuration.dataDirectory, error)
    }
    var keeper: CertificateKeeper?
    if let source, let pair {
      keeper = CertificateKeeper(pair, from: source, log: log, on: fileThreads.certificates)
    }
    do throws(SystemError) {
      shared = SharedState(
        configuration: configuration, log: log, files: files, keeper: keeper, data: data,
        fileThreads: fileThreads, store: store,
        attachments: attachments,
        generation: generation, clock: clock, pseudonyms: Self.pseudonyms(data, configuration, log))
      var made: [Reactor] = []
      for number in 0..<configuration.reactors {
        made.append(try Reactor(number: number, shared: shared))
      }
      reactors = made
    } catch {
      throw .system(error)
    }
    shared.setReactors(reactors)
    store.setLossHandler { [weak shared] id in
      // A full mailbox drops the report: the session's next append is fenced.
      _ = shared?.owner(of: id).mailbox.enqueue(.sessionLost(id))
    }
    do throws(StorageError) {
      // A folder that cannot be listed is reported at the start, not to the first participant.
      _ = try store.sessions()
    } catch {
      throw .storage(configuration.dataDirectory, error)
    }
  }

  /// Makes pseudonyms that stay the same over restarts. If the key cannot be stored, they are valid in this process only.
  private static func pseudonyms(
    _ data: DataFolder, _ configuration: GatewayConfiguration, _ log: Log
  ) -> AddressPseudonyms {
    let length = AddressPseudonyms.keyLength
    guard configuration.durability != .memory else {
      return AddressPseudonyms(key: SecureRandom.bytes(length))
    }
    do throws(StorageError) {
      return AddressPseudonyms(key: try data.addressKey())
    } catch {
      log(.warning, "addresses counted anew", ["reason": "\(error)"])
      return AddressPseudonyms(key: SecureRandom.bytes(length))
    }
  }

  /// Opens the stores of sessions and attachments. Attachments are files even if sessions are in memory.
  private static func openStores(
    _ data: DataFolder, _ configuration: GatewayConfiguration, _ disk: (FolderDisk) -> any SessionDisk,
    on executor: BlockingExecutor
  ) throws(StorageError) -> (any SessionStore, FolderAttachments, generation: String) {
    let attachments = FolderAttachments(
      data, syncs: configuration.durability == .full, makesSessions: configuration.durability == .memory)
    let durability: Durability
    switch configuration.durability {
    case .memory:
      try removeAttachmentsOfSessionsInMemory(data)
      return (MemoryStore(attachments: attachments, on: executor), attachments, .freshEpoch)
    case .process: durability = .process
    case .full: durability = .full
    }
    // The mark is removed, and that is on the disk, before the first socket is accepted.
    let generation = try data.takeMark()
    let store = FolderStore(disk(FolderDisk(data)), on: executor, durability: durability)
    return (store, attachments, generation)
  }

  /// Removes the attachments of sessions without a log: a process that was killed left them, and its sessions were in memory.
  private static func removeAttachmentsOfSessionsInMemory(_ data: DataFolder) throws(StorageError) {
    let disk = FolderDisk(data)
    for id in try disk.sessions() {
      do throws(StorageError) {
        _ = try disk.openFile(.current, of: id, toWrite: false)
      } catch {
        guard error.isMissing else { throw error }
        try data.attachments(of: id).removeSession()
      }
    }
  }

  /// Binds the listeners and starts the reactors.
  package func start() throws(GatewayError) -> BoundAddresses {
    let plain, secure: [Listener]
    do throws(GatewayError) {
      plain = try listeners(shared.configuration.http)
      secure = try listeners(shared.configuration.https)
    } catch {
      // No reactor runs, so nothing would release the references between the reactors and their shared state.
      shared.setReactors([])
      throw error
    }
    var endpoints = Endpoints()
    endpoints.http = plain.first?.address
    endpoints.https = secure.first?.address
    shared.boundEndpoints = endpoints
    do throws(SystemError) {
      for reactor in reactors {
        try reactor.start(
          plain: plain.isEmpty ? nil : plain[reactor.number],
          secure: secure.isEmpty ? nil : secure[reactor.number])
      }
    } catch {
      throw .system(error)
    }
    takeCommands()
    return BoundAddresses(http: endpoints.http, https: endpoints.https)
  }

  /// Accepts commands about sessions from the folder's owner. Without the socket, the gateway runs without commands.
  private func takeCommands() {
    do {
      let service = try CommandService(in: shared.data) { [shared] command in
        await shared.owner(of: command.session).perform(command)
      }
      commands.withLock { $0 = service }
    } catch {
      shared.log(.warning, "commands not taken", ["reason": "\(error)"])
    }
  }

  /// Refuses new connections, asks all clients to reconnect later, and stops when they have disconnected, within 8 s.
  ///
  /// With a drain delay all of this begins after the delay. Until then everything is served as before, and `/readyz` answers 503
  /// for load balancers.
  package func drain() {
    shared.stopState.isStopping = true
    let (delay, shared, reactors) = (shared.configuration.drainDelay, shared, reactors)
    guard delay > .zero else { return Self.closeConnections(of: reactors, shared) }
    Task {
      // This task is never cancelled.
      try? await Task.sleep(for: delay)
      Self.closeConnections(of: reactors, shared)
    }
  }

  private static func closeConnections(of reactors: [Reactor], _ shared: SharedState) {
    shared.stopState.isDraining = true
    for reactor in reactors { _ = reactor.mailbox.enqueue(.drain) }
  }

  /// Stops at once.
  package func stop() {
    shared.stopState.isStopping = true
    shared.stopState.isDraining = true
    for reactor in reactors { _ = reactor.mailbox.enqueue(.stop) }
  }

  /// Returns when every reactor has stopped. Blocks the calling thread.
  package func waitUntilStopped() {
    waitForReactors()
    commands.withLock { $0.take() }?.stop()
    shared.verifier.stop()
    // A thread that still writes keeps the folder locked until the process ends.
    if shared.fileThreads.stop(within: Self.fileTime) { shared.data.unlock() }
  }

  /// Returns when all reactors have stopped. Files may still be written. Blocks the calling thread.
  func waitForReactors() {
    for reactor in reactors { reactor.loop.join() }
  }

  /// The reactors that have taken no turn for ten seconds, according to the answers to earlier probes.
  package func hangingReactors(now: MonotonicTime = .now()) -> [Int] {
    shared.hangingReactors(seenBy: nil, now: now)
  }

  /// Reads certificate and key again at once. Open connections keep the former certificate.
  package func reloadCertificate() {
    guard let keeper = shared.keeper else { return }
    Task { await keeper.reload() }
  }

  private func listeners(_ address: ListenAddress?) throws(GatewayError) -> [Listener] {
    guard let address else { return [] }
    // Limited, because otherwise megabytes of outdated entries wait in the kernel, and pings behind them.
    let options = SocketOptions(
      noDelay: true, notSentLowWaterInBytes: 131_072, sendBufferInBytes: 262_144)
    do {
      guard let resolved = try SocketAddress.resolve("\(address)").first else {
        throw AddressError.hostHasNoAddress
      }
      let first = try Listener(on: resolved, options: options)
      var all = [first]
      while all.count < reactors.count { all.append(try Listener(sharing: first, options: options)) }
      return all
    } catch let error as SystemError {
      throw .listen(address, Self.words(for: error))
    } catch let error as AddressError {
      throw .address(address, error)
    } catch {
      throw .listen(address, "\(error)")
    }
  }

  private static func words(for error: SystemError) -> String {
    if error.isAddressInUse { return "another program listens there" }
    if error.isAddressNotLocal { return "this machine has no such address" }
    if error.isPermissionDenied { return "this user may not: ports from 1024 on are for all" }
    return "\(error)"
  }

  private static func pair(
    from source: CertificateSource, _ log: Log
  ) throws(GatewayError) -> CertificateSource.Pair {
    do throws(CertificateError) {
      if let reason = try source.makeIfNeeded() {
        log(reason == .missing ? .debug : .warning, "certificate made", ["reason": "\(reason)"])
      }
      return try source.read()
    } catch {
      throw .certificate(error)
    }
  }
}
