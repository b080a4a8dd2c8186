internal import Primitives
internal import Networking
internal import Platform

/// How connections come about.
extension ClientLoop {
  /// Opens a new socket for a session.
  func open(_ linked: LinkedSession) {
    linked.openAt = nil
    let gateway = linked.place.gateway
    let connection = GatewayConnection(
      of: linked, conversation: GatewayConversation(path: linked.path, authority: gateway.authority),
      now: now)
    connection.deadline = connection.openBy
    linked.connection = connection
    if let found = AddressLookup(immediatelyFor: gateway) {
      connect(connection, to: found.addresses[...], tls: found.tls)
    } else {
      lookUp(gateway, for: connection)
    }
  }

  private func lookUp(_ gateway: GatewayAddress, for connection: GatewayConnection) {
    let isUnderWay = lookups[gateway] != nil
    lookups[gateway, default: []].append(connection)
    guard !isUnderWay else { return }
    do throws(SystemError) {
      let thread = try SystemThread(name: "client-lookup") {
        let result = Result { () throws(AddressLookup.Failure) in try AddressLookup(blockingFor: gateway) }
        self.post(.lookedUp(gateway, result))
      }
      thread.detach()
    } catch {
      lookups[gateway] = nil
      fail(connection, .broken(error.description))
    }
  }

  /// Goes on with those who waited for an address.
  func lookedUp(_ gateway: GatewayAddress, _ result: Result<AddressLookup, AddressLookup.Failure>) {
    // Whoever gave up meanwhile has no owner.
    for connection in lookups.removeValue(forKey: gateway) ?? [] where connection.owner != nil {
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
        addresses.isEmpty ? connection.openBy : min(connection.openBy, now + connection.times.address)
      return
    }
    fail(connection, .broken("There is no connection to \(connection.failures.joined(separator: "; "))"))
  }

  /// The connection has come about, or failed.
  func hasConnected(
    _ connection: GatewayConnection, others: ArraySlice<SocketAddress>, tls: TLSClientContext?
  ) {
    guard let socket = connection.socket else { return }
    do throws(SystemError) {
      try socket.pendingError()
    } catch {
      return connectElsewhere(connection, others: others, tls: tls, because: error.description)
    }
    connection.deadline = now + connection.times.agreement
    guard let tls, let owner = connection.owner else {
      connection.phase = .talking
      sendOrFail(connection)
      return
    }
    let client = tls.makeConnection(to: owner.place.gateway.host)
    connection.tls = client
    connection.phase = .securing
    let nothing: [UInt8] = []
    advance(connection, client, nothing.span)
  }

  /// One address led nowhere: tries the next.
  func connectElsewhere(
    _ connection: GatewayConnection, others: ArraySlice<SocketAddress>, tls: TLSClientContext?,
    because words: String
  ) {
    let address = connection.owner?.place.gateway.description ?? ""
    connection.failures.append("\(address): \(words)")
    connect(connection, to: others, tls: tls)
  }

  /// TLS shakes hands: takes what came, sends what is to be said to it, and asks for the WebSocket once it is done.
  func advance(_ connection: GatewayConnection, _ tls: TLSConnection, _ bytes: Span<UInt8>) {
    var answer: [UInt8] = []
    do throws(TLSError) {
      let progress = try tls.receive(bytes, plaintext: &plaintext, ciphertextOut: &answer)
      connection.append(ciphertext: answer)
      if progress.hasCompletedHandshake { connection.phase = .talking }
      if progress.hasPeerClosed { connection.hasPeerClosed = true }
    } catch {
      connection.append(ciphertext: answer)
      // The alert: a peer that is gone needs none.
      try? connection.flush()
      return fail(connection, Self.end(because: error))
    }
    sendOrFail(connection)
  }

  private static func end(because error: TLSError) -> SocketEnd {
    switch error {
    case .certificateNotTrusted: .notTrusted("TLS: \(error).")
    case .alertReceived: .broken("TLS: \(error).")
    case .noClientHello, .protocolViolation: .noGateway("\(error).")
    }
  }

  /// Sends what waits, and lets go of a connection that broke.
  func sendOrFail(_ connection: GatewayConnection) {
    _ = send(connection)
  }
}
