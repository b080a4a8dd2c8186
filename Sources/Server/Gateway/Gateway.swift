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
  /// The number of threads that read and write the bytes of attachments. With two threads, one slow disk access does not delay
  /// all transfers.
  static let transferThreads = 2

  /// The maximum time to wait for unfinished file reads and writes after all reactors have stopped.
  private static let fileTime = Duration.milliseconds(500)

  /// Reads the page's files and the certificate, and opens the data folder. `start` binds the addresses.
  ///
  /// - Parameters:
  ///   - configuration: the settings.
  ///   - log: the log of events.
  /// - Throws: a `GatewayError` with a message for the operator.
  package convenience init(configuration: GatewayConfiguration, log: Log) throws(GatewayError) {
    try self.init(configuration: configuration, log: log, clock: .ofThisMachine) { $0 }
  }

  /// Creates a gateway. Tests pass a disk that may fail, and a clock that may be wrong.
  init(
    configuration: GatewayConfiguration, log: Log, clock: GatewayClock = .ofThisMachine,
    disk: (FolderDisk) -> any SessionDisk
  ) throws(GatewayError) {
    var configuration = configuration
    configuration.limits = configuration.effectiveLimits
    let files = try StaticFiles.load(
      directory: configuration.publicDirectory, library: StaticFiles.installedLibrary)
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
      // If the mailbox is full, the reactor does not get this message. It learns that the session is lost when the store rejects
      // the session's next batch as fenced.
      _ = shared?.owner(of: id).mailbox.enqueue(.sessionLost(id))
    }
    do throws(StorageError) {
      // This call lets the start fail if the folder is unreadable. Without this call, only the first request for a session would
      // fail.
      _ = try store.sessions()
    } catch {
      throw .storage(configuration.dataDirectory, error)
    }
  }

  /// Returns an `AddressPseudonyms` with the stored key, so that each address keeps its pseudonym after a restart. If the key
  /// cannot be read or stored, a new random key is used in this process only.
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
      log(.warning, "number of sessions per address reset to zero", ["reason": "\(error)"])
      return AddressPseudonyms(key: SecureRandom.bytes(length))
    }
  }

  /// Opens the stores of sessions and attachments. Attachments are stored in files even if sessions are in memory only.
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
    // `takeMark` removes the file that marks a clean stop. So this file is gone before the first socket is accepted.
    let generation = try data.takeMark()
    let store = FolderStore(disk(FolderDisk(data)), on: executor, durability: durability)
    return (store, attachments, generation)
  }

  /// Removes the attachments of sessions without a log. A killed gateway leaves such attachments if its sessions were in memory
  /// only.
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
      // The reactors and `shared` refer to each other. This call breaks these reference cycles, so that the memory of a gateway
      // that could not start is freed.
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

  /// Opens the socket in the data folder for the operator's commands about sessions. If the socket cannot be created, the gateway
  /// runs without commands.
  private func takeCommands() {
    do {
      let service = try CommandService(in: shared.data) { [shared] command in
        await shared.owner(of: command.session).perform(command)
      }
      commands.withLock { $0 = service }
    } catch {
      shared.log(.warning, "commands not accepted", ["reason": "\(error)"])
    }
  }

  /// Refuses new sessions and uploads, and asks all clients to reconnect later. Stops the gateway when all clients have
  /// disconnected, or after 8 s at the latest.
  ///
  /// If `drainDelay` is set, these steps begin after this delay. During the delay, the gateway serves all requests as before,
  /// except that `/readyz` answers 503, so that load balancers send no more clients.
  package func drain() {
    shared.stopState.isStopping = true
    let (delay, shared, reactors) = (shared.configuration.drainDelay, shared, reactors)
    guard delay > .zero else { return Self.closeConnections(of: reactors, shared) }
    Task {
      // The sleep throws only if the task is cancelled, and no code cancels this task.
      try? await Task.sleep(for: delay)
      Self.closeConnections(of: reactors, shared)
    }
  }

  private static func closeConnections(of reactors: [Reactor], _ shared: SharedState) {
    shared.stopState.isDraining = true
    for reactor in reactors { _ = reactor.mailbox.enqueue(.drain) }
  }

  /// Stops all reactors immediately, without asking clients to reconnect.
  package func stop() {
    shared.stopState.isStopping = true
    shared.stopState.isDraining = true
    for reactor in reactors { _ = reactor.mailbox.enqueue(.stop) }
  }

  /// Waits until all reactors have stopped, and stops the other threads. Blocks the calling thread.
  package func waitUntilStopped() {
    waitForReactors()
    commands.withLock { $0.take() }?.stop()
    shared.verifier.stop()
    // If a file thread is still writing, the data folder stays locked until the process ends.
    if shared.fileThreads.stop(within: Self.fileTime) { shared.data.unlock() }
  }

  /// Waits until all reactors have stopped. File threads may still be writing afterwards. Blocks the calling thread.
  func waitForReactors() {
    for reactor in reactors { reactor.loop.join() }
  }

  /// Returns the reactors that have left a probe of an earlier call unanswered for ten seconds. See `LoopWatchdog`.
  package func hangingReactors(now: MonotonicTime = .now()) -> [Int] {
    shared.hangingReactors(seenBy: nil, now: now)
  }

  /// Reads the certificate and its key again immediately. Connections that are already open keep the previous certificate.
  package func reloadCertificate() {
    guard let keeper = shared.keeper else { return }
    Task { await keeper.reload() }
  }

  private func listeners(_ address: ListenAddress?) throws(GatewayError) -> [Listener] {
    guard let address else { return [] }
    // The size of the kernel's send buffer is limited. Without a limit, pings would wait there behind megabytes of outdated
    // entries.
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
    if error.isAddressInUse { return "another program already listens on this address" }
    if error.isAddressNotLocal { return "this machine has no such address" }
    if error.isPermissionDenied { return "the user of this process may not listen on ports below 1024" }
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
