internal import Primitives
internal import Platform
internal import Wire

/// What goes out: no faster than the gateway takes it, no more than the socket has room for (3.1).
extension ClientSession {
  /// Puts on the socket what is due.
  mutating func pump() {
    guard maySend, phase != .over else { return }
    if case .left = departure { return }
    // During a pause too: what lies in the past would be waited for without rest.
    pacedUntil = nil
    if let pausedUntil {
      guard pausedUntil <= now else { return }
      self.pausedUntil = nil
    }
    sayProfile()
    var message: [UInt8] = []
    while unsent + message.count < Self.window, pacedUntil == nil, !(isProbing && outbox.isAwaited) {
      guard putNext(in: &message) else { break }
    }
    send(&message)
    message = fleeting
    fleeting = []
    send(&message)
  }

  /// Puts one more into a message, or sends it.
  /// - Returns: whether there may be more.
  private mutating func putNext(in message: inout [UInt8]) -> Bool {
    switch outbox.due {
    case .nothing: return false
    case .control(let control):
      guard isPaced(control.encoded().count) else { return false }
      send(&message)
      effects.append(.sendControl(control))
      outbox.putControl()
      return false
    case .filler(let clientSequence):
      guard isPaced(ClientEntry.fixedLength) else { return false }
      OutgoingEntry.appendNothing(to: &message, clientSequence: clientSequence)
      outbox.putFiller()
    case .entry(let entry):
      let targets = outbox.dueTargets ?? entry.targets.map(company.numbers(of:)) ?? []
      if entry.targets != nil, targets.isEmpty {
        // Everybody whom it was for has left.
        outbox.dropDue()
        return true
      }
      if outbox.isUsedUp, outbox.dueTargets == nil {
        // Four thousand million entries: somebody new goes on.
        if !outbox.isAwaited { lost(.closed(code: 4009, reason: [])) }
        return false
      }
      guard isPaced(entry.size) else { return false }
      let length = message.count + entry.size + EntryKey.length + 2
      if length > ClientEntry.maximumMessageLength { send(&message) }
      let clientSequence = outbox.putEntry(targets: targets)
      entry.append(to: &message, clientSequence: clientSequence, targets: targets)
    }
    return true
  }

  /// Sends an unreliable entry now, or never.
  mutating func sendFleeting(_ entry: OutgoingEntry) {
    guard maySend, departure == .none, pausedUntil ?? now <= now else { return }
    guard unsent + fleeting.count <= Self.window else { return }
    let targets = entry.targets.map(company.numbers(of:))
    if let targets, targets.isEmpty { return }
    guard pace.take(entry.size, entries: 1 + (targets?.count ?? 0) / 16, now: now) == nil else { return }
    entry.append(to: &fleeting, clientSequence: 0, targets: targets ?? [])
  }

  private mutating func sayProfile() {
    guard profile != saidProfile, isPaced(64) else { return }
    saidProfile = profile
    hasSaidProfile = true
    effects.append(.sendControl(.profile(profile)))
  }

  private mutating func isPaced(_ size: Int) -> Bool {
    guard let wait = pace.take(size, now: now) else { return true }
    pacedUntil = now + wait
    return false
  }

  private mutating func send(_ message: inout [UInt8]) {
    guard !message.isEmpty else { return }
    unsent += message.count
    effects.append(.sendEntries(message))
    message = []
  }
}
