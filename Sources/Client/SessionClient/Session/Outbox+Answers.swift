internal import Wire

/// What the gateway says of what was put on the socket, and what becomes of it on another one.
extension Outbox {
  /// Our own entry has come back, or is known: all up to it are in the order, at this sequence or before.
  mutating func accept(_ clientSequence: UInt32, at sequence: UInt64) {
    while accepted < cursor, items[accepted].clientSequence <= clientSequence {
      items[accepted].sequence = sequence
      accepted += 1
    }
  }

  /// All up to there is on disk.
  mutating func commit(_ sequence: UInt64) {
    while head < accepted, items[head].sequence <= sequence {
      release(items[head].content)
      items[head].content = .nothing
      head += 1
    }
    compact()
  }

  /// The gateway refused an entry for good.
  /// - Returns: the entry; nil when none with this client sequence is on the socket.
  mutating func refuse(_ clientSequence: UInt32) -> OutgoingEntry? {
    guard let index = (accepted..<cursor).first(where: { items[$0].clientSequence == clientSequence }),
      case .entry(let entry) = items[index].content
    else { return nil }
    items.remove(at: index)
    cursor -= 1
    release(.entry(entry))
    return entry
  }

  /// The gateway takes nothing from this client sequence on until it comes again.
  /// - Returns: whether that can be.
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

  /// After a refusal for want of room: removals go first, for they pass, and may make some. One under whose key something else
  /// waits stays where it is, and so does everything when others may have seen what is numbered.
  mutating func putRemovalsFirst() {
    guard cursor == accepted, cursor < items.count, items[cursor].clientSequence > formerSequence else {
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

  /// The control message that is due and was sent; nil: there is none.
  var sentActivity: ActivityChange? {
    guard accepted == cursor, cursor < items.count, items[cursor].wasSent,
      case .activity(let change) = items[cursor].content
    else { return nil }
    return change
  }

  /// The control message that is on the socket and was not answered; nil: there is none.
  var controlOnSocket: Content? { isControlOnSocket ? items[cursor].content : nil }

  /// The due control message has come back, and is in the order at this sequence or before.
  mutating func acceptControl(at sequence: UInt64) {
    isControlOnSocket = false
    items[cursor].sequence = sequence
    cursor += 1
    accepted = cursor
  }

  /// The gateway did not take the control message that is on the socket: it goes again.
  mutating func rewindControl() { isControlOnSocket = false }

  // MARK: - Another socket

  /// The socket is gone.
  mutating func lost() { isControlOnSocket = false }

  /// A new socket is ours, and the gateway says what it has.
  ///
  /// - Parameters:
  ///   - acknowledged: the highest client sequence that the session holds.
  ///   - sequence: all up to that are at or before it.
  ///   - sameEpoch: whether the order is still that of before.
  mutating func resume(acknowledged: UInt32, at sequence: UInt64, sameEpoch: Bool) {
    if !sameEpoch { formerSequence = nextSequence - 1 }
    accepted = head
    for index in head..<items.count {
      if items[index].clientSequence == 0 {
        // A change of the activity that came back in this order. Of one in an order that is lost nothing is known.
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

  /// A new socket is somebody else's, who we are from now on: what is numbered is still looked for under the old name.
  mutating func depart(sameEpoch: Bool) {
    if !sameEpoch {
      accepted = head
      for index in head..<items.count { items[index].sequence = 0 }
    }
    cursor = max(cursor, items[head...].lastIndex { $0.clientSequence > 0 }.map { $0 + 1 } ?? head)
  }

  /// What was not found under the old name is numbered anew, from 1.
  mutating func arrive() {
    commit(.max)
    for index in head..<items.count {
      items[index].clientSequence = 0
      items[index].targets = []
    }
    cursor = head
    accepted = head
    nextSequence = 1
    lastOnSocket = 0
    formerSequence = 0
  }

  /// Lets go of everything.
  mutating func clear() {
    for item in items[head...] { release(item.content) }
    items = []
    head = 0
    accepted = 0
    cursor = 0
  }
}
