import SessionClient
import FoundationEssentials
import Platform
import Wire

extension SessionCoordinator {
  /// What the membership tells, on the client's loop.
  func receive(_ notice: Notice) {
    if case .ended(let reason) = notice { return ended(reason) }
    // Whoever reads of somebody in `entries` can ask who that is.
    defer { entries.put(notice, gateway: api.gateway) }
    guard !isOver else { return }
    switch notice {
    case .joined(let joined): isLetIn(joined)
    case .catchUp(let kind): inbox.beginCatchUp(isSnapshot: kind == .snapshot)
    case .caughtUp: caughtUp()
    case .participants(let active, let waiting): participants(active, waiting)
    case .activity(let activity, let number): self.activity(activity, by: number)
    case .entry(let entry):
      meet(entry.source)
      inbox.deliver(entry)
    case .attachments(let attachments): journal.update(attachments)
    case .successor(let successor, let number): succeeded(by: successor, made: number)
    case .settled: settled()
    case .trouble: state.withLock { $0.changes.noteTrouble() }
    case .progress, .notice, .away, .refused, .ended: break
    }
  }

  private var isOver: Bool {
    state.withLock { state in
      if case .over = state.phase { true } else { false }
    }
  }

  /// Who left before this participant came is known by what they sent alone.
  private func meet(_ person: Wire.Participant) {
    state.withLock { state in
      if state.people[person.id] == nil { state.people[person.id] = person }
    }
  }

  private func isLetIn(_ joined: Joined) {
    state.withLock { state in
      state.me = Participant(id: joined.participant.id)
      state.myNumber = joined.participant.number
      state.people[joined.participant.id] = joined.participant
    }
  }

  private func caughtUp() {
    inbox.endCatchUp()
    journal.endCatchUp()
    let waiters = state.withLock { state -> [Inlet<Void>]? in
      guard case .joining(let membership) = state.phase else { return nil }
      state.phase = .joined(membership)
      defer { state.joinWaiters = [] }
      return state.joinWaiters
    }
    guard let waiters else { return }
    for waiter in waiters { waiter.put(()) }
    tell(.joined)
    // A sink of `activeParticipants` may start a task that sends the program's state to the others. This task must run
    // before the catch-up's messages change that state, so they are delivered one turn of the main actor later.
    let inbox = inbox
    MainActorQueue.shared.async { Task { @MainActor in inbox.resumeDelivery() } }
  }

  private func participants(_ active: [Wire.Participant], _ waiting: [Wire.Participant]) {
    state.withLock { state in
      for person in active + waiting { state.people[person.id] = person }
      state.waiting = Set(waiting.map { Participant(id: $0.id) })
    }
    tell(active: Set(active.map { Participant(id: $0.id) }))
  }

  /// The old session first, so that a program that drops its session once that is invalidated has done so when it is
  /// offered the new one.
  private func succeeded(by successor: SessionID, made number: ParticipantNumber) {
    let isMine = state.withLock { $0.myNumber == number }
    let link = SessionLink(session: successor, at: api.gateway)
    guard supersede(by: link) else { return }
    ActivityRegistry.shared.follow(link, isLocallyInitiated: isMine)
  }

  /// Takes the session to its end for a successor.
  ///
  /// - Returns: false when it was over before.
  @discardableResult
  func supersede(by link: SessionLink) -> Bool {
    guard let former = finish(.succeeded(by: link.url), keepsWaiting: true) else { return false }
    ActivityRegistry.shared.left(self, with: former.membership?.token)
    former.membership?.leave()
    return true
  }

  private func ended(_ reason: EndReason) {
    _ = finish(GroupSessionInvalidation(reason), keepsWaiting: true)
    entries.close()
  }
}

extension SessionCoordinator {
  /// Takes a message; its place is taken when this returns.
  ///
  /// - Throws: `SendError`, when nothing is sent.
  func send(_ entry: OutgoingEntry) throws(GroupSessionMessenger.SendError) {
    let membership = try membership()
    do throws(SendRefusal) {
      try membership.send(entry)
    } catch {
      throw GroupSessionMessenger.SendError(error)
    }
    guard entry.retention == .append || entry.retention == .replace else { return }
    let points = StrokePoints.count(entry.payload)
    guard points > 0 else { return }
    state.withLock { state in
      state.ownPoints[entry.key] =
        (entry.retention == .append ? state.ownPoints[entry.key, default: 0] : 0) + points
    }
  }

  /// How many points this program has sent under a key.
  func ownPoints(_ key: EntryKey) -> Int {
    state.withLock { $0.ownPoints[key] ?? 0 }
  }

  /// Waits until all that was sent before, and all that was added, is on the gateway's disk.
  func settle() async throws {
    await state.withLock { $0.postponing }?.value
    for (id, upload) in state.withLock({ $0.uploads }) {
      do throws(RequestFailure) {
        try await upload.finish()
      } catch .cancelled {
        // That of the upload is its removal; then there is nothing to wait for.
        try Task.checkCancellation()
      } catch {
        // It is told once.
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
