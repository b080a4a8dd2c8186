internal import Wire

/// The queue of a participant's messages, in order. A message is in the queue from `send` until it is on the gateway's disk (wire
/// protocol, section 3.1).
///
/// The first items are accepted: they have a position in the session's order, but are not on the disk yet. The next items were
/// sent on the socket. The last items are not sent yet. An entry gets its client sequence when it is first put on a socket.
struct Outbox: Sendable {
  /// The content of an item.
  enum Content: Sendable {
    case entry(OutgoingEntry)
    /// A control message. It is sent alone: after all items before it are accepted, and before the items after it.
    case activity(ActivityChange)
    /// The end of the session.
    case end
    /// The content was released from memory.
    case released
  }

  /// An item of the queue.
  struct Item: Sendable {
    var content: Content
    /// The number of the item, counted over all items that were ever added.
    let ordinal: UInt64
    /// The client sequence; 0 until the item is first put on a socket.
    var clientSequence: UInt32 = 0
    /// The participant numbers of the targets when the client sequence was assigned.
    var targets: [ParticipantNumber] = []
    /// An upper bound for the item's position in the session's order; 0 until the item is accepted.
    var sequence: UInt64 = 0
    /// True for a control message that was on a socket.
    var wasSent = false

    var entry: OutgoingEntry? { if case .entry(let entry) = content { entry } else { nil } }
  }

  /// The next item to be put on the socket.
  enum Due {
    /// There is no item to send now.
    case nothing
    /// An entry, with or without a client sequence.
    case entry(OutgoingEntry)
    /// A filler: an entry without a type, which only uses up a client sequence. An earlier gateway process refused the entry with
    /// this client sequence, but the present process expects the client sequence again.
    case filler(UInt32)
    case control(ClientControl)
  }

  var items: [Item] = []
  /// The index of the first item that is not released.
  var head = 0
  /// The index of the first item that is not known to be accepted.
  var accepted = 0
  /// The index of the first item that was not put on the current socket.
  var cursor = 0
  /// The client sequence of the next new entry.
  var nextSequence: UInt32 = 1
  /// The client sequence up to which all entries were put on the current socket or are known to the gateway.
  var lastOnSocket: UInt32 = 0
  /// The highest client sequence that was sent in a former epoch. Other participants may have received entries with client
  /// sequences up to this one.
  var formerEpochSequence: UInt32 = 0
  /// True while the item at `cursor` is a control message that is on the socket and waits for an answer.
  var isControlOnSocket = false
  private var nextOrdinal: UInt64 = 1
  /// True when items were reordered, so that their ordinals no longer rise from item to item.
  var isReordered = false
  /// The number of all released bytes, as counted by `OutgoingEntry.size` and `ActivityChange.size`.
  private(set) var releasedBytes = 0

  /// True when the queue is empty.
  var isEmpty: Bool { head == items.count }
  /// True when all items are accepted.
  var isAccepted: Bool { accepted == items.count }
  /// True while an item on the socket waits for an answer.
  var isAwaited: Bool { cursor > accepted || isControlOnSocket }
  /// True while an item waits to be put on the socket.
  var hasMore: Bool { cursor < items.count && !isControlOnSocket }
  /// The ordinal of the last item added.
  var lastOrdinal: UInt64 { nextOrdinal - 1 }
  /// The lowest ordinal in the queue; nil when the queue is empty.
  var firstOrdinal: UInt64? {
    guard head < items.count else { return nil }
    return isReordered ? items[head...].lazy.map(\.ordinal).min() : items[head].ordinal
  }
  /// The lowest client sequence in the queue; if there is none, the next one to be assigned. A resume sends this value as
  /// `next`.
  var next: UInt32 {
    items[head...].first { $0.clientSequence > 0 }?.clientSequence ?? nextSequence
  }
  /// True when all client sequences are used.
  var isUsedUp: Bool { nextSequence == .max }

  /// Appends an item.
  mutating func add(_ content: Content) {
    items.append(Item(content: content, ordinal: nextOrdinal))
    nextOrdinal += 1
  }

  /// Counts the bytes of `content` as released, even if the content was never in the queue.
  mutating func release(_ content: Content) {
    switch content {
    case .entry(let entry): if entry.isReliable { releasedBytes += entry.size }
    case .activity(let change): releasedBytes += change.size
    case .end, .released: break
    }
  }

  // MARK: - On a socket

  /// The item to be put on the socket next.
  var due: Due {
    guard hasMore else { return .nothing }
    switch items[cursor].content {
    case .entry(let entry):
      let clientSequence = items[cursor].clientSequence
      return clientSequence > 0 && clientSequence - 1 > lastOnSocket
        ? .filler(lastOnSocket + 1) : .entry(entry)
    case .activity(let change): return accepted == cursor ? .control(.activity(change)) : .nothing
    case .end: return accepted == cursor ? .control(.end) : .nothing
    case .released: return .nothing
    }
  }

  /// The targets that were stored when the next entry got its client sequence; nil while the entry has no client sequence.
  var dueTargets: [ParticipantNumber]? { items[cursor].clientSequence > 0 ? items[cursor].targets : nil }

  /// Puts the next entry on the socket. `targets` is used only if the entry has no client sequence yet.
  ///
  /// - Returns: the client sequence of the entry.
  mutating func putEntry(targets: [ParticipantNumber]) -> UInt32 {
    if items[cursor].clientSequence == 0 {
      items[cursor].clientSequence = nextSequence
      items[cursor].targets = targets
      nextSequence += 1
    }
    lastOnSocket = max(lastOnSocket, items[cursor].clientSequence)
    cursor += 1
    return items[cursor - 1].clientSequence
  }

  /// Records that a filler was put on the socket under the next client sequence. A filler is an entry without a type.
  mutating func putFiller() { lastOnSocket += 1 }

  /// Puts the next control message on the socket.
  mutating func putControl() {
    items[cursor].wasSent = true
    isControlOnSocket = true
  }

  /// Removes the next item, because it has no receiver or was refused.
  mutating func dropDue() {
    isControlOnSocket = false
    release(items[cursor].content)
    guard cursor == head else {
      items.remove(at: cursor)
      return
    }
    items[head].content = .released
    head += 1
    accepted = head
    cursor = head
    compact()
  }

  /// Frees the memory of released items.
  mutating func compact() {
    if isEmpty { isReordered = false }
    guard head > 64, head * 2 > items.count else { return }
    items.removeFirst(head)
    accepted -= head
    cursor -= head
    head = 0
  }
}

extension Outbox: CustomStringConvertible {
  /// The state of the queue as text, without any content.
  var description: String {
    "\(items.count - head) items, \(accepted - head) accepted, \(cursor - head) on the socket"
      + (isControlOnSocket ? ", including a control message" : "") + ", next client sequence \(nextSequence)"
  }
}
