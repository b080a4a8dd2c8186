internal import Primitives
internal import Networking
internal import Platform

/// Connection setup: address lookup, TCP, TLS.
extension ClientLoop {
  /// Opens a new connection for a membership.
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
        let result = Result { () throws(SessionClientError) in
          try ResolvedGateway(blockingFor: gateway)
        }
        self.post(.resolved(gateway, result))
      }
      thread.detach()
    } catch {
      pendingLookups[gateway] = nil
      fail(connection, .broken(error.description))
    }
  }

  /// Connects the connections that waited for an address lookup.
  func didResolve(_ gateway: GatewayAddress, _ result: Result<ResolvedGateway, SessionClientError>) {
    // A connection without an owner was dropped during the lookup.
    for connection in pendingLookups.removeValue(forKey: gateway) ?? [] where connection.owner != nil {
      switch result {
      case .success(let found): connect(connection, to: found.addresses[...], tls: found.tls)
      case .failure(let error): fail(connection, SocketEnd(error))
      }
    }
  }

  /// Connects to the first address for which an attempt can be started.
  private func connect(
    _ connection: GatewayConnection, to addresses: ArraySlice<SocketAddress>, tls: TLSClientContext?
  ) {
    var addresses = addresses
    while let address = addresses.popFirst() {
      lastToken += 1
      do throws(SystemError) {
        connections[connection.token] = nil
        let descriptor = try Socket.connect(to: address)
        // The option limits the unsent bytes in the kernel's send buffer, so that unreliable entries do not wait there for long.
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
    fail(connection, .unreachable("Cannot connect to \(connection.failures.joined(separator: "; "))"))
  }

  /// Handles the success or the failure of an attempt to establish a TCP connection.
  func didConnect(
    _ connection: GatewayConnection, others: ArraySlice<SocketAddress>, tls: TLSClientContext?
  ) {
    guard let socket = connection.socket else { return }
    do throws(SystemError) {
      try socket.pendingError()
    } catch {
      return connectToNext(connection, others: others, tls: tls, because: error.description)
    }
    connection.deadline = now + connection.times.handshake
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

  /// Tries the next address after a failure.
  func connectToNext(
    _ connection: GatewayConnection, others: ArraySlice<SocketAddress>, tls: TLSClientContext?,
    because words: String
  ) {
    let address = connection.owner?.configuration.gateway.description ?? ""
    connection.failures.append("\(address): \(words)")
    connect(connection, to: others, tls: tls)
  }

  /// Advances the TLS handshake: processes received bytes, sends the answer, and requests the WebSocket upgrade at
  /// the end.
  func advanceHandshake(_ connection: GatewayConnection, _ tls: TLSConnection, _ bytes: Span<UInt8>) {
    var answer: [UInt8] = []
    do throws(TLSError) {
      let progress = try tls.receive(bytes, plaintext: &plaintext, ciphertextOut: &answer)
      connection.append(ciphertext: answer)
      if progress.hasCompletedHandshake { connection.phase = .webSocket }
      if progress.hasPeerClosed { connection.hasPeerClosed = true }
    } catch {
      connection.append(ciphertext: answer)
      // Sends the TLS alert. An error of this send is ignored: it means that the peer has disconnected.
      try? connection.flush()
      return fail(connection, Self.end(because: error))
    }
    send(connection)
  }

  private static func end(because error: TLSError) -> SocketEnd {
    switch error {
    case .certificateNotTrusted: .notTrusted("TLS: \(error).")
    case .alertReceived: .broken("TLS: \(error).")
    case .invalidClientHello, .protocolViolation: .noGateway("\(error).")
    }
  }
}

extension SocketEnd {
  fileprivate init(_ error: SessionClientError) {
    switch error {
    case .notTrusted(let cause): self = .notTrusted(cause)
    case .noGateway(let cause): self = .noGateway(cause)
    case .unreachable, .refused, .cancelled: self = .unreachable(error.description)
    }
  }
}
