internal import Primitives
internal import Networking
internal import Platform

/// How connections come about.
extension ClientLoop {
  /// Opens a new socket for a session.
  func openConnection(for membership: ActiveMembership) {
    membership.openAt = nil
    let gateway = membership.configuration.gateway
    let connection = GatewayConnection(
      of: membership, webSocket: ClientWebSocket(path: membership.path, authority: gateway.authority),
      now: now)
    connection.deadline = connection.connectDeadline
    membership.connection = connection
    if let found = ResolvedGateway(immediatelyFor: gateway) {
      connect(connection, to: found.addresses[...], tls: found.tls)
    } else {
      resolve(gateway, for: connection)
    }
  }

  private func resolve(_ gateway: GatewayAddress, for connection: GatewayConnection) {
    let isInProgress = pendingLookups[gateway] != nil
    pendingLookups[gateway, default: []].append(connection)
    guard !isInProgress else { return }
    do throws(SystemError) {
      let thread = try SystemThread(name: "client-lookup") {
        let result = Result { () throws(ResolvedGateway.Failure) in try ResolvedGateway(blockingFor: gateway)
        }
        self.post(.resolved(gateway, result))
      }
      thread.detach()
    } catch {
      pendingLookups[gateway] = nil
      fail(connection, .broken(error.description))
    }
  }

  /// Goes on with those who waited for an address.
  func didResolve(_ gateway: GatewayAddress, _ result: Result<ResolvedGateway, ResolvedGateway.Failure>) {
    // Whoever gave up meanwhile has no owner.
    for connection in pendingLookups.removeValue(forKey: gateway) ?? [] where connection.owner != nil {
      switch result {
      case .success(let found): connect(connection, to: found.addresses[...], tls: found.tls)
      case .failure(.address(let words)): fail(connection, .broken(words))
      case .failure(.trust(let words)): fail(connection, .notTrusted(words))
      }
    }
  }

  /// Tries the first of some addresses that can be tried at all.
  private func connect(
    _ connection: GatewayConnection, to addresses: ArraySlice<SocketAddress>, tls: TLSClientContext?
  ) {
    var addresses = addresses
    while let address = addresses.popFirst() {
      lastToken += 1
      do throws(SystemError) {
        connections[connection.token] = nil
        let descriptor = try Socket.connect(to: address)
        // Room in the kernel is bounded too: what is unreliable shall not wait there for long.
        try Socket(descriptor.rawValue).apply(SocketOptions(notSentLowWaterInBytes: 131_072))
        try loop.register(descriptor.rawValue, token: lastToken)
        connection.use(descriptor)
      } catch {
        connection.failures.append("\(address): \(error)")
        continue
      }
      connection.token = lastToken
      connections[lastToken] = connection
      connection.phase = .connecting(others: addresses, tls: tls)
      connection.deadline =
        addresses.isEmpty
        ? connection.connectDeadline : min(connection.connectDeadline, now + connection.times.address)
      return
    }
    fail(connection, .broken("There is no connection to \(connection.failures.joined(separator: "; "))"))
  }

  /// The connection has come about, or failed.
  func didConnect(
    _ connection: GatewayConnection, others: ArraySlice<SocketAddress>, tls: TLSClientContext?
  ) {
    guard let socket = connection.socket else { return }
    do throws(SystemError) {
      try socket.pendingError()
    } catch {
      return connectToNext(connection, others: others, tls: tls, because: error.description)
    }
    connection.deadline = now + connection.times.agreement
    guard let tls, let owner = connection.owner else {
      connection.phase = .webSocket
      send(connection)
      return
    }
    let client = tls.makeConnection(to: owner.configuration.gateway.host)
    connection.tls = client
    connection.phase = .tlsHandshake
    let nothing: [UInt8] = []
    advanceHandshake(connection, client, nothing.span)
  }

  /// One address led nowhere: tries the next.
  func connectToNext(
    _ connection: GatewayConnection, others: ArraySlice<SocketAddress>, tls: TLSClientContext?,
    because words: String
  ) {
    let address = connection.owner?.configuration.gateway.description ?? ""
    connection.failures.append("\(address): \(words)")
    connect(connection, to: others, tls: tls)
  }

  /// TLS shakes hands: takes what came, sends what is to be said to it, and asks for the WebSocket once it is done.
  func advanceHandshake(_ connection: GatewayConnection, _ tls: TLSConnection, _ bytes: Span<UInt8>) {
    var answer: [UInt8] = []
    do throws(TLSError) {
      let progress = try tls.receive(bytes, plaintext: &plaintext, ciphertextOut: &answer)
      connection.append(ciphertext: answer)
      if progress.hasCompletedHandshake { connection.phase = .webSocket }
      if progress.hasPeerClosed { connection.hasPeerClosed = true }
    } catch {
      connection.append(ciphertext: answer)
      // The alert: a peer that is gone needs none.
      try? connection.flush()
      return fail(connection, Self.end(because: error))
    }
    send(connection)
  }

  private static func end(because error: TLSError) -> SocketEnd {
    switch error {
    case .certificateNotTrusted: .notTrusted("TLS: \(error).")
    case .alertReceived: .broken("TLS: \(error).")
    case .noClientHello, .protocolViolation: .noGateway("\(error).")
    }
  }
}
