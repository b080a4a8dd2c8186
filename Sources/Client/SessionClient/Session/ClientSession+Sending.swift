internal import Primitives
internal import Platform
internal import Wire

/// Sending: within the gateway's rate limits and the window of unsent bytes (wire protocol, section 3.1).
extension ClientSession {
  /// Sends all messages that may be sent now.
  mutating func sendPending() {
    guard maySend, phase != .over else { return }
    if case .left = departure { return }
    guard pacer.begin(now: now) else { return }
    sendProfile()
    var message: [UInt8] = []
    while pendingBytes + message.count < Self.window, !pacer.isThrottled, !(isProbing && outbox.isAwaited) {
      guard putNext(in: &message) else { break }
    }
    send(&message)
    message = unreliableBatch
    unreliableBatch = []
    send(&message)
  }

  /// Appends the next item to a binary message, or sends it as a control message.
  ///
  /// - Returns: false when no further item may be sent.
  private mutating func putNext(in message: inout [UInt8]) -> Bool {
    switch outbox.due {
    case .nothing: return false
    case .control(let control):
      guard pacer.take(control.encoded().count, now: now) else { return false }
      send(&message)
      effects.append(.sendControl(control))
      outbox.putControl()
      return false
    case .filler(let clientSequence):
      guard pacer.take(ClientEntry.fixedLength, now: now) else { return false }
      OutgoingEntry.appendFiller(to: &message, clientSequence: clientSequence)
      outbox.putFiller()
    case .entry(let entry):
      let targets = outbox.dueTargets ?? entry.targets.map(state.numbers(of:)) ?? []
      if entry.targets != nil, targets.isEmpty {
        // All targets of the entry have left, so the entry is dropped.
        outbox.dropDue()
        return true
      }
      if outbox.isUsedUp, outbox.dueTargets == nil {
        // All 2^32 client sequences are used, so the client continues as a new participant.
        if !outbox.isAwaited { socketLost(.closed(code: 4009, reason: [])) }
        return false
      }
      guard pacer.take(entry.size, now: now) else { return false }
      let length = message.count + entry.size + EntryKey.length + 2
      if length > ClientEntry.maximumMessageLength { send(&message) }
      let clientSequence = outbox.putEntry(targets: targets)
      entry.append(to: &message, clientSequence: clientSequence, targets: targets)
    }
    return true
  }

  /// Adds an unreliable entry to the batch that is sent with the next effects. Drops the entry if it cannot be sent now.
  mutating func sendUnreliable(_ entry: OutgoingEntry) {
    guard maySend, departure == .none, pendingBytes + unreliableBatch.count <= Self.window else { return }
    let targets = entry.targets.map(state.numbers(of:))
    if let targets, targets.isEmpty { return }
    let price = 1 + (targets?.count ?? 0) / 16
    guard pacer.takeUnreliable(entry.size, entries: price, now: now) else { return }
    entry.append(to: &unreliableBatch, clientSequence: 0, targets: targets ?? [])
  }

  private mutating func sendProfile() {
    guard profile.needsSending, pacer.take(64, now: now) else { return }
    profile.recordSentAlone()
    effects.append(.sendControl(.profile(profile.value)))
  }

  private mutating func send(_ message: inout [UInt8]) {
    guard !message.isEmpty else { return }
    pendingBytes += message.count
    effects.append(.sendEntries(message))
    message = []
  }
}
