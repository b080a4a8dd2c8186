import SessionClient
import FoundationEssentials
import Platform
import Wire

extension SessionCoordinator {
  /// Handles an event that the membership reports. Called on the client's event loop.
  func receive(_ notice: SessionEvent) {
    if case .ended(let reason) = notice { return handleEnd(reason) }
    // The broadcast comes last: a reader of `entries` may look up the event's participants, which must be recorded by then.
    defer { entries.broadcast(notice, gateway: api.gateway) }
    guard !isEnded else { return }
    switch notice {
    case .joined(let joined): didJoin(joined)
    case .catchUp(let kind): inbox.beginCatchUp(isSnapshot: kind == .snapshot)
    case .caughtUp: finishCatchUp()
    case .participants(let active, let waiting): updateParticipants(active, waiting)
    case .activity(let activity, let number): updateActivity(activity, by: number)
    case .entry(let entry):
      recordParticipant(entry.source)
      inbox.deliver(entry)
    case .attachments(let attachments): journal.update(attachments)
    case .successor(let successor, let number): handleSuccessor(successor, createdBy: number)
    case .settled: handleSettled()
    case .trouble: state.withLock { $0.changes.recordRefusal() }
    case .progress, .notice, .away, .refused, .ended: break
    }
  }

  private var isEnded: Bool {
    state.withLock { state in
      if case .ended = state.phase { true } else { false }
    }
  }

  /// Records the sender of a message. A participant that left before this program joined is known only from such a message.
  private func recordParticipant(_ person: Wire.Participant) {
    state.withLock { state in
      if state.knownParticipants[person.id] == nil { state.knownParticipants[person.id] = person }
    }
  }

  private func didJoin(_ joined: Joined) {
    state.withLock { state in
      state.localParticipant = Participant(id: joined.participant.id)
      state.localNumber = joined.participant.number
      state.knownParticipants[joined.participant.id] = joined.participant
    }
  }

  private func finishCatchUp() {
    inbox.endCatchUp()
    journal.endCatchUp()
    let waiters = state.withLock { state -> [AsyncQueue<Void>]? in
      guard case .joining(let membership) = state.phase else { return nil }
      state.phase = .joined(membership)
      defer { state.joinWaiters = [] }
      return state.joinWaiters
    }
    guard let waiters else { return }
    for waiter in waiters { waiter.enqueue(()) }
    publish(.joined)
    // A sink of `activeParticipants` may start a task that sends the program's state to the other participants. This task must
    // run before the messages of the catch-up change that state. So the messages are delivered one iteration of the main actor
    // later.
    let inbox = inbox
    MainActorQueue.shared.async { Task { @MainActor in inbox.resumeDelivery() } }
  }

  private func updateParticipants(_ active: [Wire.Participant], _ waiting: [Wire.Participant]) {
    state.withLock { state in
      for person in active + waiting { state.knownParticipants[person.id] = person }
      state.waitingParticipants = Set(waiting.map { Participant(id: $0.id) })
    }
    publish(active: Set(active.map { Participant(id: $0.id) }))
  }

  /// Ends this session first, and follows its successor afterwards. So a program that releases its session on invalidation has
  /// released the old session before it receives the new one.
  private func handleSuccessor(_ successor: SessionID, createdBy number: ParticipantNumber) {
    let isLocal = state.withLock { $0.localNumber == number }
    let link = SessionLink(session: successor, at: api.gateway)
    guard supersede(by: link) else { return }
    ActivityRegistry.shared.followSuccessor(link, isLocallyInitiated: isLocal)
  }

  /// Ends the session because it has a successor.
  ///
  /// - Returns: false if the session was over already.
  @discardableResult
  func supersede(by link: SessionLink) -> Bool {
    guard let finalState = finish(.succeeded(by: link.url), keepsBuffered: true) else { return false }
    ActivityRegistry.shared.didLeave(self, with: finalState.membership?.token)
    finalState.membership?.leave()
    return true
  }

  private func handleEnd(_ reason: EndReason) {
    _ = finish(GroupSessionInvalidation(reason), keepsBuffered: true)
    entries.close()
  }
}

extension SessionCoordinator {
  /// Sends a message. The message's place in the order of all sends is fixed when this function returns.
  ///
  /// - Throws: `SendError`; then the message is not sent.
  func send(_ entry: OutgoingEntry) throws(GroupSessionMessenger.SendError) {
    let membership = try membership()
    do throws(AdmissionError) {
      try membership.send(entry)
    } catch {
      throw GroupSessionMessenger.SendError(error)
    }
    sentStrokePoints.record(entry)
  }

  /// Waits until all messages and attachments that this program sent before the call are on the gateway's disk.
  func settle() async throws {
    await state.withLock { $0.deferredSend }?.value
    for (id, upload) in state.withLock({ $0.uploads }) {
      do throws(SessionClientError) {
        try await upload.finish()
      } catch .cancelled {
        // Either this task was cancelled, and the next line throws; or the program removed the attachment, and there is no upload
        // to wait for.
        try Task.checkCancellation()
      } catch {
        // The failure of an upload is thrown only once, so it is removed here.
        state.withLock { state in
          state.uploads[id] = nil
          state.uploadFailure = nil
        }
        throw GroupSessionJournal.JournalError(error)
      }
    }
    let failure = state.withLock { state in
      defer { state.uploadFailure = nil }
      return state.uploadFailure
    }
    if let failure { throw GroupSessionJournal.JournalError(failure) }
    do {
      try await membership().settle()
    } catch let reason as EndReason {
      throw GroupSessionInvalidation(reason)
    }
  }
}
