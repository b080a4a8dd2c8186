internal import Wire

/// The gateway's answers to sent items, and the change to another socket.
extension Outbox {
  /// Records that the session has accepted all entries up to a client sequence. `sequence` is an upper bound for their positions
  /// in the session's order.
  mutating func accept(_ clientSequence: UInt32, at sequence: UInt64) {
    while accepted < cursor, items[accepted].clientSequence <= clientSequence {
      items[accepted].sequence = sequence
      accepted += 1
    }
  }

  /// Releases the accepted items up to a sequence, because they are on the gateway's disk.
  mutating func commit(_ sequence: UInt64) {
    while head < accepted, items[head].sequence <= sequence {
      release(items[head].content)
      items[head].content = .released
      head += 1
    }
    compact()
  }

  /// Removes an entry that the gateway refused permanently.
  ///
  /// - Returns: the entry; nil unless an entry with this client sequence was sent on the socket and waits for an answer.
  mutating func refuse(_ clientSequence: UInt32) -> OutgoingEntry? {
    guard let index = (accepted..<cursor).first(where: { items[$0].clientSequence == clientSequence }),
      case .entry(let entry) = items[index].content
    else { return nil }
    items.remove(at: index)
    cursor -= 1
    release(.entry(entry))
    return entry
  }

  /// Continues at an earlier client sequence. The gateway refuses all later entries until the entry with this client sequence is
  /// sent again.
  ///
  /// - Returns: false if the gateway cannot expect this client sequence.
  mutating func rewind(to clientSequence: UInt32) -> Bool {
    guard clientSequence >= next, clientSequence - 1 <= lastOnSocket else { return false }
    if let last = items[head..<accepted].last(where: { $0.clientSequence > 0 }),
      last.clientSequence >= clientSequence
    {
      return false
    }
    cursor =
      (accepted..<cursor).first { items[$0].clientSequence >= clientSequence } ?? cursor
    lastOnSocket = clientSequence - 1
    return true
  }

  /// Moves removals to the front of the queue after the gateway refused an entry for lack of space. The gateway accepts removals
  /// even then, and they may free space.
  ///
  /// A removal stays in place if another item in the queue has the same key. No item moves if other participants may already have
  /// received the entries with their present client sequences.
  mutating func putRemovalsFirst() {
    guard cursor == accepted, cursor < items.count, items[cursor].clientSequence > formerEpochSequence else {
      return
    }
    let end = items[cursor...].firstIndex { $0.entry == nil } ?? items.count
    var counts: [EntryKey: Int] = [:]
    for item in items[cursor..<end] { if let entry = item.entry { counts[entry.key, default: 0] += 1 } }
    let goesFirst = { (item: Item) in
      item.entry.map { $0.flags.retention == .remove && counts[$0.key] == 1 } ?? false
    }
    let removals = items[cursor..<end].filter(goesFirst)
    guard !removals.isEmpty else { return }
    let others = items[cursor..<end].filter { !goesFirst($0) }
    nextSequence = items[cursor].clientSequence
    items.replaceSubrange(cursor..<end, with: removals + others)
    isReordered = true
    for index in cursor..<items.count {
      items[index].clientSequence = 0
      items[index].targets = []
    }
  }

  /// The next item, if it is an activity change that was already sent; else nil.
  var sentActivity: ActivityChange? {
    guard accepted == cursor, cursor < items.count, items[cursor].wasSent,
      case .activity(let change) = items[cursor].content
    else { return nil }
    return change
  }

  /// The control message that was sent on the socket and has no answer yet; nil if there is no such message.
  var controlOnSocket: Content? { isControlOnSocket ? items[cursor].content : nil }

  /// Records that the control message on the socket was accepted. `sequence` is an upper bound for the message's position in the
  /// session's order.
  mutating func acceptControl(at sequence: UInt64) {
    isControlOnSocket = false
    items[cursor].sequence = sequence
    cursor += 1
    accepted = cursor
  }

  /// Marks the refused control message for sending again.
  mutating func rewindControl() { isControlOnSocket = false }

  // MARK: - Another socket

  /// Handles the loss of the socket.
  mutating func socketLost() { isControlOnSocket = false }

  /// Continues on a new socket as the same participant.
  ///
  /// - Parameters:
  ///   - acknowledged: the highest client sequence of this participant that the session has accepted.
  ///   - sequence: a session sequence. All entries of this participant with a client sequence up to `acknowledged` have this
  ///     session sequence or a lower one.
  ///   - sameEpoch: true if the session still has the epoch that it had on the former socket.
  mutating func resume(acknowledged: UInt32, at sequence: UInt64, sameEpoch: Bool) {
    if !sameEpoch { formerEpochSequence = nextSequence - 1 }
    accepted = head
    for index in head..<items.count {
      if items[index].clientSequence == 0 {
        // An activity change counts as accepted only if the gateway sent it back in this epoch.
        guard sameEpoch, items[index].sequence > 0 else {
          items[index].sequence = 0
          continue
        }
        if accepted == index { accepted = index + 1 }
      } else if items[index].clientSequence > acknowledged {
        items[index].sequence = 0
      } else {
        if !sameEpoch || items[index].sequence == 0 { items[index].sequence = sequence }
        accepted = index + 1
      }
    }
    cursor = accepted
    lastOnSocket = max(acknowledged, next - 1)
    nextSequence = max(nextSequence, acknowledged == .max ? .max : acknowledged + 1)
  }

  /// Begins the change to another participant number. Before `endNumberChange`, the catch-up may still contain entries that were
  /// sent under the former number.
  mutating func beginNumberChange(sameEpoch: Bool) {
    if !sameEpoch {
      accepted = head
      for index in head..<items.count { items[index].sequence = 0 }
    }
    cursor = max(cursor, items[head...].lastIndex { $0.clientSequence > 0 }.map { $0 + 1 } ?? head)
  }

  /// Ends the change of the participant number. The entries that the catch-up did not contain are sent again, with new client
  /// sequences that begin at 1.
  mutating func endNumberChange() {
    commit(.max)
    for index in head..<items.count {
      items[index].clientSequence = 0
      items[index].targets = []
    }
    cursor = head
    accepted = head
    nextSequence = 1
    lastOnSocket = 0
    formerEpochSequence = 0
  }

  /// Releases all items.
  mutating func clear() {
    for item in items[head...] { release(item.content) }
    items = []
    head = 0
    accepted = 0
    cursor = 0
  }
}
