internal import FoundationEssentials
internal import SessionCore
internal import Platform
internal import WebSocket
internal import Wire

/// What WebSocket clients say.
extension Reactor {
  /// The bytes of a socket that are inflated in one step.
  private static let inflatedBytesPerStep = 65_536
  /// The entries of one message that are handled in one step.
  private static let entriesPerStep = 2_048
  private static let badControlLimit = 10
  /// After so many messages of one socket, or so many bytes of frames that may be empty, it is looked whether it has had its
  /// share.
  private static let messagesBetweenLooks = 8
  private static let bytesBetweenLooks = 4096

  func receive(
    _ connection: Connection, _ conversation: WebSocketConversation, _ buffer: inout [UInt8],
    from start: Int, upTo end: Int
  ) {
    var position = start
    var inflated = 0
    var messages = 0
    // Added once for all messages of a buffer: each access to the counters costs some hundred instructions.
    var completeMessages: UInt64 = 0
    defer { counters.values.messagesReceived += completeMessages }
    conversation.heardAt = now
    while position < end || conversation.hasUnfinishedMessage {
      // Who has the inflater goes on to the end of its message: others wait for it.
      guard conversation.isInflating || !conversation.subscriber.isOutboxFull && !conversation.isHeld else {
        pauseWithInput(connection, buffer, from: position, upTo: end)
        break
      }
      guard inflated < Self.inflatedBytesPerStep,
        !conversation.hasUnfinishedMessage || takeUp(connection, conversation)
      else {
        guard connections.isOpen(connection) else { return }
        if conversation.awaitsInflater {
          pauseWithInput(connection, buffer, from: position, upTo: end)
        } else {
          deferInput(connection, buffer, from: position, upTo: end, isExpensive: true)
        }
        break
      }
      messages += 1
      if messages % Self.messagesBetweenLooks == 0, isShareOver {
        deferInput(connection, buffer, from: position, upTo: end)
        break
      }
      let event: MessageReader.Event?
      do throws(ProtocolError) {
        event = try conversation.messages.next(
          in: &buffer, at: &position, upTo: min(end, position + Self.bytesBetweenLooks),
          inflater: conversation.isInflating ? sharedInflater.inflater : inflater,
          inflatedBytes: Self.inflatedBytesPerStep)
      } catch {
        conversation.isInflating = false
        // The socket may linger for seconds: the inflater must not.
        releaseInflater(of: connection)
        fail(connection, conversation, error)
        break
      }
      guard let event else {
        conversation.isInflating = conversation.messages.isInflating
        if conversation.isInflating { inflated = Self.inflatedBytesPerStep }
        messages += Self.messagesBetweenLooks - 1 - messages % Self.messagesBetweenLooks
        continue
      }
      switch event {
      case .piece(let kind, let range, let isFirst, let isLast):
        if isLast { completeMessages += 1 }
        if isFirst, isLast {
          handle(connection, conversation, kind, buffer.span.extracting(range))
        } else {
          assemble(connection, conversation, kind, buffer.span.extracting(range), isLast: isLast)
        }
      case .message(let kind, let payload):
        completeMessages += 1
        inflated += payload.count
        conversation.isInflating = false
        releaseInflater(of: connection)
        handle(connection, conversation, kind, payload.span)
      case .ping(let payload):
        conversation.subscriber.enqueue(.pong, payload)
      case .pong:
        break
      case .close(let code, _):
        peerClosed(connection, conversation, code)
      }
      guard connections.isOpen(connection) else { return }
    }
    noteIncomplete(connection, conversation)
    guard connections.isOpen(connection) else { return }
    if conversation.subscriber.hasBufferedOutput || conversation.isFinished {
      flush(connection, conversation)
    }
  }

  /// Goes on with what earlier turns left of a message.
  ///
  /// - Returns: false when the rest, or what follows it, has to wait for another turn.
  private func takeUp(_ connection: Connection, _ conversation: WebSocketConversation) -> Bool {
    if conversation.isInflating {
      if sharedInflater.claim(for: connection.key) { return true }
      if !conversation.awaitsInflater {
        conversation.awaitsInflater = true
        sharedInflater.enqueue(connection.key)
      }
      return false
    }
    guard let unfinished = conversation.unfinished else { return true }
    guard case .joined(let hosted) = conversation.phase else {
      conversation.unfinished = nil
      return true
    }
    let bytes = unfinished.bytes
    unfinished.offset = take(bytes.span, startingAt: unfinished.offset, from: conversation, in: hosted)
    if unfinished.offset == bytes.count { conversation.unfinished = nil }
    return false
  }

  /// Takes the inflater back from a socket that has it, and gives it to the first socket that waits for it.
  func releaseInflater(of connection: Connection) {
    guard sharedInflater.release(from: connection.key) else { return }
    while let key = sharedInflater.dequeue() {
      guard let next = connections[key], let conversation = next.handler as? WebSocketConversation else {
        continue
      }
      conversation.awaitsInflater = false
      _ = sharedInflater.claim(for: key)
      next.isExpensive = true
      resumeReading(next)
      return
    }
  }

  /// Gives a session the next entries of a message.
  ///
  /// - Returns: the offset of the entry that is next, or the message's length.
  private func take(
    _ message: Span<UInt8>, startingAt start: Int, from conversation: WebSocketConversation,
    in hosted: Hosted
  ) -> Int {
    var effects: [Effect] = []
    hosted.saidAt = min(hosted.saidAt, now)
    let end = hosted.session.receive(
      message, startingAt: start, entries: Self.entriesPerStep, from: conversation.subscriber,
      now: now,
      effects: &effects)
    touch(hosted)
    if !effects.isEmpty { perform(effects, in: hosted) }
    return end
  }

  private func assemble(
    _ connection: Connection, _ conversation: WebSocketConversation, _ kind: MessageKind,
    _ piece: Span<UInt8>, isLast: Bool
  ) {
    guard !conversation.isClosing else { return }
    conversation.assembly.append(piece)
    if kind == .text, !isEcho(conversation), conversation.assembly.count > ClientControl.maximumLength {
      disconnect(connection, conversation, .messageTooLarge(limit: ClientControl.maximumLength))
      return
    }
    guard isLast else { return }
    let message = conversation.assembly
    conversation.assembly = []
    handle(connection, conversation, kind, message.span)
  }

  /// Half-received messages of all sockets have one limit, and each a time to end in.
  private func noteIncomplete(_ connection: Connection, _ conversation: WebSocketConversation) {
    if conversation.messages.isInsideMessage {
      if conversation.messageBegan == nil { conversation.messageBegan = now }
    } else {
      conversation.messageBegan = nil
    }
    guard !countHeld(by: connection), !conversation.isClosing else { return }
    disconnect(
      connection, conversation,
      .tryAgainLater(.tooMany, retryAfterMs: 5000))
  }

  private func isEcho(_ conversation: WebSocketConversation) -> Bool {
    if case .echo = conversation.phase { true } else { false }
  }

  /// A whole message.
  private func handle(
    _ connection: Connection, _ conversation: WebSocketConversation, _ kind: MessageKind,
    _ message: Span<UInt8>
  ) {
    // A message has ended: the time for the next one begins with it.
    conversation.messageBegan = nil
    conversation.hosted?.messages += 1
    switch (conversation.phase, kind) {
    case (.closing, _), (.finding, _):
      break
    case (.echo, _):
      echo(conversation, kind, message)
    case (.opened, .binary), (.waiting, .binary):
      counters.values.refusals[.notJoined] += 1
      disconnect(connection, conversation, .notJoined)
    case (.joined(let hosted), .binary):
      let next = take(message, startingAt: 0, from: conversation, in: hosted)
      if next < message.count {
        var rest: [UInt8] = []
        rest.append(message.extracting(droppingFirst: next))
        conversation.unfinished = UnfinishedMessage(rest)
      }
    case (.opened(let hosted), .text):
      handleFirst(connection, conversation, hosted, message)
    case (.waiting(let hosted), .text), (.joined(let hosted), .text):
      handleControl(connection, conversation, hosted, message)
    }
  }

  /// The first message: `join` or `wait`, and nothing else.
  private func handleFirst(
    _ connection: Connection, _ conversation: WebSocketConversation, _ hosted: Hosted,
    _ message: Span<UInt8>
  ) {
    guard !hosted.isRemoved else {
      // It ended while this socket was open and had said nothing.
      counters.values.refusals[.ended] += 1
      close(connection, conversation, .ended)
      return
    }
    guard message.count <= ClientControl.maximumLength else {
      disconnect(connection, conversation, .messageTooLarge(limit: ClientControl.maximumLength))
      return
    }
    do throws(WireError) {
      switch try ClientControl.decode(message) {
      case .join(let join):
        enter(connection, conversation, hosted, join)
      case .wait(let profile):
        conversation.phase = .waiting(hosted)
        perform(
          hosted.session.wait(
            conversation.subscriber, profile: profile.sanitised, identity: newIdentity(), now: now),
          in: hosted)
        touch(hosted)
      case .leave, .end, .profile, .activity:
        counters.values.refusals[.notJoined] += 1
        disconnect(connection, conversation, .notJoined)
      }
    } catch {
      switch error {
      case .invalidMember, .textLength, .payloadTooLarge:
        // A join, but a wrong one: a right one may follow.
        refuseControl(connection, conversation, hosted, error.refusal)
      case .notJSON, .notRequestObject, .unknownControl, .controlTooLong, .entryLengthTruncated,
        .entryExceedsMessage,
        .entryTooShort:
        counters.values.refusals[.notJoined] += 1
        disconnect(connection, conversation, .notJoined)
      }
    }
  }

  private func enter(
    _ connection: Connection, _ conversation: WebSocketConversation, _ hosted: Hosted, _ join: Join
  ) {
    var join = join
    join.profile = join.profile.sanitised
    conversation.phase = .joined(hosted)
    let effects = hosted.session.join(
      conversation.subscriber, join, identity: newIdentity(), now: now)
    touch(hosted)
    perform(effects, in: hosted)
    for case .joined(_, _, let kind) in effects {
      conversation.joinedAt = now
      logger.log(
        .join(
          conversation.subject(at: connection.clientAddress), kind, sequence: hosted.session.sequence,
          after: join.resume?.after))
    }
  }

  private func newIdentity() -> NewIdentity {
    let random = SecureRandom.bytes(40)
    return NewIdentity(
      id: EntryKey(random.span, at: 0).randomUUID, token: Token(random: Array(random[16..<32])),
      lot: random.span.uint64(at: 32))
  }

  private func handleControl(
    _ connection: Connection, _ conversation: WebSocketConversation, _ hosted: Hosted,
    _ message: Span<UInt8>
  ) {
    guard message.count <= ClientControl.maximumLength else {
      disconnect(connection, conversation, .messageTooLarge(limit: ClientControl.maximumLength))
      return
    }
    let session = hosted.session
    let subscriber = conversation.subscriber
    let control: ClientControl
    do throws(WireError) {
      control = try ClientControl.decode(message)
    } catch {
      refuseControl(connection, conversation, hosted, error.refusal)
      return
    }
    touch(hosted)
    if case .leave = control {
      conversation.phase = .joined(hosted)
      let effects = session.leave(subscriber, now: now)
      if !effects.isEmpty, conversation.participant != 0 {
        logger.log(
          .left(
            EventSubject(session: session.id, participant: conversation.participant), reason: "left"))
      }
      closeWhenSaved(effects, in: hosted)
      return
    }
    if case (.waiting, .join(let join)) = (conversation.phase, control) {
      subscriber.badControlMessages = 0
      enter(connection, conversation, hosted, join)
      return
    }
    guard case .joined = conversation.phase else {
      counters.values.refusals[.notJoined] += 1
      disconnect(connection, conversation, .notJoined)
      return
    }
    var effects: [Effect] = []
    guard session.admitControl(subscriber, size: message.count, now: now, effects: &effects) else {
      perform(effects, in: hosted)
      return
    }
    switch control {
    case .leave:
      break
    case .join, .wait:
      refuseControl(connection, conversation, hosted, Refusal(.badRequest, "You have joined already."))
      return
    case .end:
      endSoon(hosted, conversation, on: connection.key)
    case .profile(let profile):
      session.setProfile(profile.sanitised, of: subscriber)
    case .activity(let change):
      session.setActivity(change, by: subscriber, now: now)
    }
    subscriber.badControlMessages = 0
  }

  /// Closes the socket of a participant who left, as soon as that is on the disk; or cannot be, of which everybody is told.
  private func closeWhenSaved(_ effects: [Effect], in hosted: Hosted) {
    hosted.tasksInHand += 1
    Task {
      _ = await persister.waitUntilStored(hosted.stored)
      perform(effects, in: hosted)
      done(with: hosted)
    }
  }

  /// Ends a session for everyone, who asks for it included; who cannot have it is told.
  private func endSoon(_ hosted: Hosted, _ conversation: WebSocketConversation, on key: Connection.Key) {
    let subscriber = conversation.subscriber
    let number = conversation.participant
    let address = connections[key]?.clientAddress
    Task {
      do throws(Refusal) {
        try await end(hosted, by: number, from: address)
      } catch {
        logger.log(
          .refused(
            .control, error.code, conversation.subject(at: connections[key]?.clientAddress)))
        guard !hosted.isRemoved, connections[key] != nil else { return }
        hosted.session.enqueueControl(subscriber, GatewayControl.error(error).encoded())
        touchSoon(hosted)
      }
    }
  }

  /// A control message that cannot be understood; ten in a row are a fault of the client.
  private func refuseControl(
    _ connection: Connection, _ conversation: WebSocketConversation, _ hosted: Hosted, _ refusal: Refusal
  ) {
    logger.log(.refused(.control, refusal.code, conversation.subject(at: connection.clientAddress)))
    conversation.subscriber.badControlMessages += 1
    guard conversation.subscriber.badControlMessages < Self.badControlLimit else {
      disconnect(connection, conversation, .badRequests)
      return
    }
    hosted.session.enqueueControl(conversation.subscriber, GatewayControl.error(refusal).encoded())
    touch(hosted)
  }

  private func echo(
    _ conversation: WebSocketConversation, _ kind: MessageKind, _ message: Span<UInt8>
  ) {
    var frame: [UInt8] = []
    if let deflate = conversation.deflate {
      var compressed: [UInt8] = []
      deflater.compress(message, into: &compressed, windowBits: deflate.windowBits(for: .server))
      FrameWriter.append(kind.opcode, payload: compressed.span, isCompressed: true, to: &frame)
    } else {
      FrameWriter.append(kind.opcode, payload: message, to: &frame)
    }
    conversation.subscriber.enqueue(frames: frame)
  }
}

extension EntryKey {
  /// The 16 random bytes as a UUID of version 4 (RFC 9562 §5.4).
  var randomUUID: UUID {
    EntryKey(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    ).uuid
  }
}
