import Client
import FoundationEssentials
import Transport
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
    case .catchUp(let kind):
      inbox.beginCatchUp(isSnapshot: kind == .snapshot)
      journal.beginCatchUp()
    case .caughtUp: caughtUp()
    case .participants(let active, let waiting): participants(active, waiting)
    case .activity(let activity, _):
      state.withLock { $0.activity = activity }
      tell(.activity(activity.payload))
    case .entry(let entry): inbox.deliver(entry)
    case .attachments(let attachments): journal.update(attachments)
    case .successor(let successor, let number): succeeded(by: successor, made: number)
    case .progress, .notice, .away, .settled, .refused, .trouble, .ended: break
    }
  }

  private var isOver: Bool {
    state.withLock { state in
      if case .over = state.phase { true } else { false }
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
  }

  private func participants(_ active: [Wire.Participant], _ waiting: [Wire.Participant]) {
    state.withLock { state in
      for person in active + waiting { state.people[person.id] = person }
      state.waiting = Set(waiting.map { Participant(id: $0.id) })
    }
    tell(.participants(active: Set(active.map { Participant(id: $0.id) })))
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

  /// Sets the activity for everyone.
  ///
  /// - Returns: which of this program's changes it is.
  func change(title: String?, payload: JSONValue?) throws(GroupSessionMessenger.SendError) -> Int {
    let membership = try membership()
    do throws(SendRefusal) {
      try membership.change(ActivityChange(title: title, payload: payload ?? .null))
    } catch {
      throw GroupSessionMessenger.SendError(error)
    }
    return state.withLock { state in
      state.activityRevision += 1
      return state.activityRevision
    }
  }

  /// Sets the title alone, unless the activity was set again since.
  func change(title: String, ofRevision revision: Int) {
    let isSame = state.withLock { $0.activityRevision == revision && $0.activity.title != title }
    guard isSame, case 1...Activity.maximumTextScalars = title.unicodeScalars.count else { return }
    // Over the rate, or over: the title stays as it was, which hurts nobody.
    _ = try? membership().change(ActivityChange(title: title))
  }

  /// Waits until all that was sent before, and all that was added, is on the gateway's disk.
  func settle() async throws {
    let uploads = state.withLock { Array($0.uploads.values) }
    for upload in uploads { try await upload.finish() }
    let failure = state.withLock { state in
      defer { state.uploadFailure = nil }
      return state.uploadFailure
    }
    if let failure { throw failure }
    do {
      try await membership().settle()
    } catch let reason as EndReason {
      throw GroupSessionInvalidation(reason)
    }
  }
}
