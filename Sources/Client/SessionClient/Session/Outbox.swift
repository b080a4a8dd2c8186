internal import Wire

/// What a participant wants to say, in order: kept from `send` until it is on the gateway's disk (3.1).
///
/// Of its items the first are in the session's order and wait for the disk, the next are on the socket, the last wait to be put
/// there. An entry gets its client sequence when it is first put on a socket.
struct Outbox: Sendable {
  /// What is to be said.
  enum Content: Sendable {
    case entry(OutgoingEntry)
    /// A control message: it goes alone, when all before it is in the order, and what is behind it waits.
    case activity(ActivityChange)
    /// The end of the session; nothing comes behind it.
    case end
    /// Was let go of.
    case nothing
  }

  /// Something to be said.
  struct Item: Sendable {
    var content: Content
    /// Its place among all that was ever said.
    let ordinal: UInt64
    /// 0 until it is first put on a socket.
    var clientSequence: UInt32 = 0
    /// The numbers of those it is for, as of then.
    var targets: [ParticipantNumber] = []
    /// At or behind its place in the session's order; 0 until it has one.
    var sequence: UInt64 = 0
    /// A control message that was on a socket.
    var wasSent = false

    var entry: OutgoingEntry? { if case .entry(let entry) = content { entry } else { nil } }
  }

  /// What the socket is due.
  enum Due {
    /// Nothing, or nothing yet.
    case nothing
    /// An entry, not numbered yet or numbered before.
    case entry(OutgoingEntry)
    /// The gateway needs this client sequence used up: what had it was refused in a life that it has forgotten.
    case filler(UInt32)
    case control(ClientControl)
  }

  var items: [Item] = []
  /// Where those that are held begin.
  var head = 0
  /// Where those begin that are not known to be in the session's order.
  var accepted = 0
  /// Where those begin that are still to be put on this socket.
  var cursor = 0
  /// The client sequence that the next new entry gets.
  var nextSequence: UInt32 = 1
  /// All client sequences up to it were put on this socket, or are known to the gateway.
  var lastOnSocket: UInt32 = 0
  /// What was numbered up to it went out in an epoch that is over: others may have seen it, and know it by its number.
  var formerSequence: UInt32 = 0
  /// Whether the due control message is on the socket.
  var isControlOnSocket = false
  private var nextOrdinal: UInt64 = 1
  /// Something goes out of its turn.
  var isReordered = false
  /// How many bytes it has let go of, by `OutgoingEntry.size` and `ActivityChange.size`.
  private(set) var releasedBytes = 0

  /// Whether nothing is held.
  var isEmpty: Bool { head == items.count }
  /// Whether all of it is in the session's order.
  var isAccepted: Bool { accepted == items.count }
  /// Whether something is on the socket, and the gateway has not answered.
  var isAwaited: Bool { cursor > accepted || isControlOnSocket }
  /// Whether something waits to be put on the socket.
  var hasMore: Bool { cursor < items.count && !isControlOnSocket }
  /// The ordinal of the last that was said.
  var lastOrdinal: UInt64 { nextOrdinal - 1 }
  /// The lowest ordinal that is held; nil: nothing is.
  var firstOrdinal: UInt64? {
    guard head < items.count else { return nil }
    return isReordered ? items[head...].lazy.map(\.ordinal).min() : items[head].ordinal
  }
  /// The lowest client sequence that is held, or is used next: `next` of a resume.
  var next: UInt32 {
    items[head...].first { $0.clientSequence > 0 }?.clientSequence ?? nextSequence
  }
  /// Whether there is no client sequence left.
  var isUsedUp: Bool { nextSequence == .max }

  /// Takes something to be said behind all that was before.
  mutating func add(_ content: Content) {
    items.append(Item(content: content, ordinal: nextOrdinal))
    nextOrdinal += 1
  }

  /// Counts what was held, or never was, as let go of.
  mutating func release(_ content: Content) {
    switch content {
    case .entry(let entry): if entry.isReliable { releasedBytes += entry.size }
    case .activity(let change): releasedBytes += change.size
    case .end, .nothing: break
    }
  }

  // MARK: - On a socket

  /// What is to be put on the socket next.
  var due: Due {
    guard hasMore else { return .nothing }
    switch items[cursor].content {
    case .entry(let entry):
      let clientSequence = items[cursor].clientSequence
      return clientSequence > 0 && clientSequence - 1 > lastOnSocket
        ? .filler(lastOnSocket + 1) : .entry(entry)
    case .activity(let change): return accepted == cursor ? .control(.activity(change)) : .nothing
    case .end: return accepted == cursor ? .control(.end) : .nothing
    case .nothing: return .nothing
    }
  }

  /// The targets that the due entry was given with its client sequence; nil when it has none yet.
  var dueTargets: [ParticipantNumber]? { items[cursor].clientSequence > 0 ? items[cursor].targets : nil }

  /// The due entry goes on the socket, with these targets if it is new.
  /// - Returns: its client sequence.
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

  /// The filler goes on the socket.
  mutating func putFiller() { lastOnSocket += 1 }

  /// The due control message goes on the socket.
  mutating func putControl() {
    items[cursor].wasSent = true
    isControlOnSocket = true
  }

  /// The due item is for nobody, or was answered.
  mutating func dropDue() {
    isControlOnSocket = false
    release(items[cursor].content)
    guard cursor == head else {
      items.remove(at: cursor)
      return
    }
    items[head].content = .nothing
    head += 1
    accepted = head
    cursor = head
    compact()
  }

  /// Gives back the room of what was let go of.
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
  /// How far it is, and nothing of what is said.
  var description: String {
    "\(items.count - head) held, \(accepted - head) of them in the order, \(cursor - head) on the socket"
      + (isControlOnSocket ? ", a control message too" : "") + ", next \(nextSequence)"
  }
}
