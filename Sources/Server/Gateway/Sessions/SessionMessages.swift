internal import Networking
internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import Platform
internal import WebSocket
internal import Wire

/// Handles the control messages of WebSocket clients.
final class SessionMessages {
  /// The number of consecutive invalid control messages after which a client is disconnected.
  private static let badControlLimit = 10

  private unowned let sessions: SessionTable
  private let tasks: LoopTasks
  private let clock: LoopClock
  private let counters: ReactorCounters
  private let logger: GatewayLogger

  init(
    _ sessions: SessionTable, tasks: LoopTasks, clock: LoopClock, counters: ReactorCounters,
    logger: GatewayLogger
  ) {
    self.sessions = sessions
    self.tasks = tasks
    self.clock = clock
    self.counters = counters
    self.logger = logger
  }

  private var sockets: WebSocketService { sessions.sockets }
  private var broadcaster: Broadcaster { sessions.broadcaster }
  private var persister: Persister { sessions.persister }
  private var now: MonotonicTime { clock.now }

  /// Handles a text message of a client: its first message (`join` or `wait`), or a later one.
  func receive(_ message: Span<UInt8>, from socket: WebSocketConnection, in live: LiveSession) {
    guard let host = live as? SessionHost else { return }
    let isFirst = if case .opened = socket.phase { true } else { false }
    guard !isFirst || !host.isRemoved else {
      // The session ended before the client of this open socket sent its first message.
      counters.countLabel { $0.refusals[.ended] += 1 }
      socket.close(.ended)
      return
    }
    guard message.count <= ClientControl.maximumLength else {
      socket.disconnect(.messageTooLarge(limit: ClientControl.maximumLength))
      return
    }
    if isFirst {
      receiveFirst(message, from: socket, in: host)
    } else {
      receiveControl(message, from: socket, in: host)
    }
  }

  // MARK: - Joining

  /// Handles the first message of a client. It must be `join` or `wait`.
  private func receiveFirst(_ message: Span<UInt8>, from socket: WebSocketConnection, in host: SessionHost) {
    do throws(WireError) {
      switch try ClientControl.decode(message) {
      case .join(let join):
        enter(join, from: socket, host)
      case .wait(let profile):
        socket.phase = .waiting(host)
        sockets.perform(
          host.session.wait(
            socket.subscriber, profile: profile.sanitised, identity: newIdentity(), now: now),
          in: host)
        broadcaster.touch(host)
      case .leave, .end, .profile, .activity:
        refuseUnjoined(socket)
      }
    } catch {
      switch error {
      case .invalidMember, .textLength, .payloadTooLarge:
        // The `join` was invalid. The client may send a corrected `join`.
        refuse(error.refusal, to: socket, in: host)
      case .notJSON, .notRequestObject, .unknownControl, .controlTooLong, .entryLengthTruncated,
        .entryExceedsMessage,
        .entryTooShort:
        refuseUnjoined(socket)
      }
    }
  }

  private func enter(_ join: Join, from socket: WebSocketConnection, _ host: SessionHost) {
    var join = join
    join.profile = join.profile.sanitised
    socket.phase = .joined(host)
    let effects = host.session.join(
      socket.subscriber, join, identity: newIdentity(), limitsJSON: sessions.limitsJSON, now: now)
    broadcaster.touch(host)
    sockets.perform(effects, in: host)
    for case .joined(_, _, let kind) in effects {
      socket.joinedAt = now
      logger.log(
        .join(socket.subject, kind, sequence: host.session.sequence, after: join.resume?.after))
    }
  }

  private func newIdentity() -> NewIdentity {
    let random = sessions.random.take(40)
    return NewIdentity(
      id: EntryKey(random.span, at: 0).randomUUID,
      token: Token(high: random.span.uint64(at: 16), low: random.span.uint64(at: 24)),
      lot: random.span.uint64(at: 32))
  }

  // MARK: - Control messages

  private func receiveControl(_ message: Span<UInt8>, from socket: WebSocketConnection, in host: SessionHost)
  {
    let subscriber = socket.subscriber
    let control: ClientControl
    do throws(WireError) {
      control = try ClientControl.decode(message)
    } catch {
      refuse(error.refusal, to: socket, in: host)
      return
    }
    broadcaster.touch(host)
    if case .leave = control {
      leave(socket, host)
      return
    }
    if case (.waiting, .join(let join)) = (socket.phase, control) {
      subscriber.badControlMessages = 0
      enter(join, from: socket, host)
      return
    }
    guard case .joined = socket.phase else {
      refuseUnjoined(socket)
      return
    }
    var effects: [Effect] = []
    guard host.session.admitControl(subscriber, size: message.count, now: now, effects: &effects) else {
      sockets.perform(effects, in: host)
      return
    }
    switch control {
    case .leave:
      break
    case .join, .wait:
      refuse(Refusal(.badRequest, "You have joined already."), to: socket, in: host)
      return
    case .end:
      end(host, for: socket)
    case .profile(let profile):
      host.session.setProfile(profile.sanitised, of: subscriber)
    case .activity(let change):
      host.session.setActivity(change, by: subscriber, now: now)
    }
    subscriber.badControlMessages = 0
  }

  /// Handles the `leave` of a participant. Closes the participant's socket when the store has answered. The socket is closed even
  /// if the leave could not be stored, because all members have already been informed of the leave.
  private func leave(_ socket: WebSocketConnection, _ host: SessionHost) {
    socket.phase = .joined(host)
    let effects = host.session.leave(socket.subscriber, now: now)
    if !effects.isEmpty, socket.participant != 0 {
      logger.log(
        .left(EventSubject(session: host.id, participant: socket.participant), reason: "left"))
    }
    host.tasksInHand += 1
    func closeWhenStored() async {
      _ = await persister.waitUntilStored(host)
      sockets.perform(effects, in: host)
      sessions.finishTask(of: host)
    }
    tasks.start(closeWhenStored)
  }

  /// Ends a session for all participants. If the session cannot be ended, the requesting participant gets the error.
  private func end(_ host: SessionHost, for socket: WebSocketConnection) {
    // The task must not keep a reference to the connection, because that would keep the socket's descriptor open.
    let (token, subscriber, subject) = (socket.connection.key.token, socket.subscriber, socket.subject)
    func end() async {
      do throws(Refusal) {
        try await sessions.end(host, by: subject.participant, from: subject.address)
      } catch {
        logger.log(.refused(.control, error.code, subject))
        guard !host.isRemoved, sockets.socket(token) != nil else { return }
        host.session.enqueueControl(subscriber, GatewayControl.error(error).encoded())
        sessions.touch(host)
      }
    }
    tasks.start(end)
  }

  // MARK: - Refusals

  /// Disconnects a client that sent a message that is only allowed after `join`.
  private func refuseUnjoined(_ socket: WebSocketConnection) {
    counters.countLabel { $0.refusals[.notJoined] += 1 }
    socket.disconnect(.notJoined)
  }

  /// Answers an invalid control message with an error. Disconnects the client at its tenth consecutive invalid message.
  private func refuse(_ refusal: Refusal, to socket: WebSocketConnection, in host: SessionHost) {
    logger.log(.refused(.control, refusal.code, socket.subject))
    socket.subscriber.badControlMessages += 1
    guard socket.subscriber.badControlMessages < Self.badControlLimit else {
      socket.disconnect(.badRequests)
      return
    }
    host.session.enqueueControl(socket.subscriber, GatewayControl.error(refusal).encoded())
    broadcaster.touch(host)
  }
}

extension EntryKey {
  /// Returns 16 random bytes as a UUID of version 4 (RFC 9562 §5.4).
  var randomUUID: UUID {
    EntryKey(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    ).uuid
  }
}
