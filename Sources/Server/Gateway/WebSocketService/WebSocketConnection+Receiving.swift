internal import SessionCore
internal import Primitives
internal import WebSocket
internal import Wire

extension WebSocketConnection {
  /// The number of inflated bytes after which one step of handling a socket's input ends.
  private static let inflatedBytesPerStep = 65_536
  /// The maximum number of entries of one message that are handled in one step.
  private static let entriesPerStep = 2_048
  /// The number of messages of one socket between two checks of the socket's time slice.
  private static let messagesBetweenChecks = 8
  /// The number of bytes after which the time slice is checked, even if these bytes contain no complete message (empty frames,
  /// for example).
  private static let bytesBetweenChecks = 4096

  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    var position = start
    var inflated = 0
    var messageCount = 0
    // True if no message is incomplete after the last event, and `messages` has not been called again after that event.
    var isBetweenMessages = messageBegan == .distantFuture
    // The counters are updated once for all messages of a buffer, because each access costs some hundred instructions.
    var completeMessages: UInt64 = 0
    defer { service.counters.values.messagesReceived += completeMessages }
    activeAt = now
    while position < end || hasUnhandledInput {
      // A socket that uses the shared inflater continues until the end of its message, even if its outbox is full or its input is
      // paused, because other sockets may wait for the inflater.
      guard isInflating || !subscriber.isOutboxFull && !isInputPaused else {
        io.pauseReading(connection, buffer, from: position, upTo: end)
        break
      }
      guard inflated < Self.inflatedBytesPerStep, !hasUnhandledInput || continueUnfinished() else {
        guard io.table.isOpen(connection) else { return }
        if awaitsInflater {
          io.pauseReading(connection, buffer, from: position, upTo: end)
        } else {
          io.deferInput(connection, buffer, from: position, upTo: end, isExpensive: true)
        }
        break
      }
      messageCount += 1
      if messageCount % Self.messagesBetweenChecks == 0, io.readQueue.isShareOver {
        io.deferInput(connection, buffer, from: position, upTo: end)
        break
      }
      let wasBetweenMessages = isBetweenMessages
      isBetweenMessages = false
      let event: MessageReader.Event?
      do throws(ProtocolError) {
        event = try messages.next(
          in: &buffer, at: &position, upTo: min(end, position + Self.bytesBetweenChecks),
          inflater: isInflating ? service.sharedInflater.inflater : service.inflater,
          inflatedBytes: Self.inflatedBytesPerStep)
      } catch {
        isInflating = false
        // The inflater is released now, because the socket may linger for seconds.
        service.releaseInflater(of: connection)
        fail(error)
        break
      }
      guard let event else {
        isInflating = messages.isInflating
        if isInflating { inflated = Self.inflatedBytesPerStep }
        messageCount += Self.messagesBetweenChecks - 1 - messageCount % Self.messagesBetweenChecks
        continue
      }
      switch event {
      case .piece(let kind, let range, let isFirst, let isLast):
        if isLast {
          completeMessages += 1
          isBetweenMessages = true
        }
        if isFirst, isLast {
          receive(kind, buffer.span.extracting(range))
        } else {
          assemble(kind, buffer.span.extracting(range), isLast: isLast)
        }
      case .message(let kind, let payload):
        completeMessages += 1
        isBetweenMessages = true
        inflated += payload.count
        isInflating = false
        service.releaseInflater(of: connection)
        receive(kind, payload.span)
      case .ping(let payload):
        subscriber.enqueue(.pong, payload)
        isBetweenMessages = wasBetweenMessages
      case .pong:
        isBetweenMessages = wasBetweenMessages
      case .close(let code, _):
        peerClosed(code)
      }
      guard io.table.isOpen(connection) else { return }
    }
    if !isBetweenMessages || hasBuffers {
      checkIncompleteMessage()
      guard io.table.isOpen(connection) else { return }
    }
    if subscriber.hasBufferedOutput || isFinished { flush() }
  }

  /// True if bytes are buffered for this socket, or if `countedBytes` still includes bytes that are no longer buffered. Used only
  /// between two messages, when `messages` and the list of fragments are empty. So it does not read `messages`: a read would copy
  /// it, which costs 1,000 instructions.
  private var hasBuffers: Bool {
    hasUnhandledInput || subscriber.hasBufferedOutput || !connection.deferredInput.isEmpty
      || connection.countedBytes > 0
  }

  /// Continues with a message that an earlier step handled or inflated in part.
  ///
  /// - Returns: true if the input can be handled further in this turn.
  private func continueUnfinished() -> Bool {
    if isInflating {
      if service.sharedInflater.claim(for: connection.key) { return true }
      if !awaitsInflater {
        awaitsInflater = true
        service.sharedInflater.enqueue(connection.key)
      }
      return false
    }
    guard case .unfinished(let message) = partial else { return true }
    guard case .joined(let live) = phase else {
      partial = .none
      return true
    }
    let bytes = message.bytes
    message.offset = receiveEntries(bytes.span, startingAt: message.offset, in: live)
    if message.offset == bytes.count { partial = .none }
    return false
  }

  /// Passes entries of a message to the session, at most `entriesPerStep`.
  ///
  /// - Returns: the offset of the first entry that was not passed, or the length of the message if all entries were passed.
  private func receiveEntries(_ message: Span<UInt8>, startingAt start: Int, in live: LiveSession) -> Int {
    var effects: [Effect] = []
    let now = now
    live.entriesArrived(at: now)
    let end = live.session.receive(
      message, startingAt: start, entries: Self.entriesPerStep, from: subscriber, now: now,
      effects: &effects)
    service.broadcaster.touch(live)
    if !effects.isEmpty { service.perform(effects, in: live) }
    return end
  }

  private func assemble(_ kind: MessageKind, _ fragment: Span<UInt8>, isLast: Bool) {
    guard !isClosing else { return }
    var message: [UInt8] = []
    if case .fragments(let earlier) = partial { message = earlier }
    partial = .none  // Only `message` refers to the array now, so `append` does not copy it.
    message.append(fragment)
    if kind == .text, !isEcho, message.count > ClientControl.maximumLength {
      disconnect(.messageTooLarge(limit: ClientControl.maximumLength))
    } else if isLast {
      receive(kind, message.span)
    } else {
      partial = .fragments(message)
    }
  }

  /// Starts or ends the time limit for an incomplete message. Disconnects the client if incomplete messages and other buffers of
  /// all connections use too much memory.
  private func checkIncompleteMessage() {
    if messages.isInsideMessage {
      if messageBegan == .distantFuture {
        messageBegan = now
        io.hastenCheck(of: connection)
      }
    } else {
      messageBegan = .distantFuture
    }
    guard !io.updateBufferedBytes(of: connection), !isClosing else { return }
    disconnect(.tryAgainLater(.tooMany, retryAfterMs: 5000))
  }

  /// Handles a complete message.
  private func receive(_ kind: MessageKind, _ message: Span<UInt8>) {
    // The message is complete, so the time limit of this message ends. The time limit of the next message starts when that
    // message begins.
    messageBegan = .distantFuture
    live?.countMessage()
    switch (phase, kind) {
    case (.closing, _), (.loading, _):
      break
    case (.echo, _):
      echo(kind, message)
    case (.opened, .binary), (.waiting, .binary):
      service.counters.countLabel { $0.refusals[.notJoined] += 1 }
      disconnect(.notJoined)
    case (.joined(let live), .binary):
      let next = receiveEntries(message, startingAt: 0, in: live)
      if next < message.count {
        var rest: [UInt8] = []
        rest.append(message.extracting(droppingFirst: next))
        partial = .unfinished(UnfinishedMessage(rest))
      }
    case (.opened(let live), .text), (.waiting(let live), .text), (.joined(let live), .text):
      service.receiveText(self, live, message)
    }
  }

  private func echo(_ kind: MessageKind, _ message: Span<UInt8>) {
    var frame: [UInt8] = []
    if let deflate = messages.deflate {
      var compressed: [UInt8] = []
      service.deflater.compress(message, into: &compressed, windowBits: deflate.windowBits(for: .server))
      FrameWriter.append(kind.opcode, payload: compressed.span, isCompressed: true, to: &frame)
    } else {
      FrameWriter.append(kind.opcode, payload: message, to: &frame)
    }
    subscriber.enqueue(frames: frame)
  }
}
