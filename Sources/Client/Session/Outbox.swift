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

  private var items: [Item] = []
  /// Where those that are held begin.
  private var head = 0
  /// Where those begin that are not known to be in the session's order.
  private var accepted = 0
  /// Where those begin that are still to be put on this socket.
  private var cursor = 0
  /// The client sequence that the next new entry gets.
  private(set) var nextSequence: UInt32 = 1
  /// All client sequences up to it were put on this socket, or are known to the gateway.
  private var lastOnSocket: UInt32 = 0
  /// Whether the due control message is on the socket.
  private(set) var isControlOnSocket = false
  private var nextOrdinal: UInt64 = 1
  /// How many bytes it has let go of, by `OutgoingEntry.size`.
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
  /// The ordinal of the first that is held; nil: nothing is.
  var firstOrdinal: UInt64? { head < items.count ? items[head].ordinal : nil }
  /// The lowest client sequence that is held, or is used next: `next` of a resume.
  var next: UInt32 {
    guard head < items.count, items[head].clientSequence > 0 else { return nextSequence }
    return items[head].clientSequence
  }
  /// Whether there is no client sequence left.
  var isUsedUp: Bool { nextSequence == .max }

  /// Takes something to be said behind all that was before.
  mutating func add(_ content: Content) {
    items.append(Item(content: content, ordinal: nextOrdinal))
    nextOrdinal += 1
  }

  /// Counts an entry that is never held as let go of.
  mutating func release(_ entry: OutgoingEntry) {
    if entry.isReliable { releasedBytes += entry.size }
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
    if case .entry(let entry) = items[cursor].content { release(entry) }
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

  // MARK: - Answers

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
      if case .entry(let entry) = items[head].content { release(entry) }
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
    release(entry)
    return entry
  }

  /// The gateway takes nothing from this client sequence on until it comes again.
  /// - Returns: whether that can be.
  mutating func rewind(to clientSequence: UInt32) -> Bool {
    guard clientSequence > 0, clientSequence - 1 <= lastOnSocket else { return false }
    if accepted > head, items[accepted - 1].clientSequence >= clientSequence { return false }
    cursor =
      (accepted..<cursor).first { items[$0].clientSequence >= clientSequence } ?? cursor
    lastOnSocket = clientSequence - 1
    return true
  }

  /// The control message that is due and was sent; nil: there is none.
  var sentActivity: ActivityChange? {
    guard accepted == cursor, cursor < items.count, items[cursor].wasSent,
      case .activity(let change) = items[cursor].content
    else { return nil }
    return change
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
    accepted = head
    for index in head..<items.count where items[index].clientSequence > 0 {
      if items[index].clientSequence > acknowledged {
        items[index].sequence = 0
      } else {
        if !sameEpoch || items[index].sequence == 0 { items[index].sequence = sequence }
        accepted = index + 1
      }
    }
    cursor = accepted
    lastOnSocket = acknowledged
    nextSequence = max(nextSequence, acknowledged == .max ? .max : acknowledged + 1)
  }

  /// A new socket is somebody else's, who we are from now on: what is numbered is still looked for under the old name.
  mutating func depart(sameEpoch: Bool) {
    if !sameEpoch {
      accepted = head
      for index in head..<items.count { items[index].sequence = 0 }
    }
    cursor = max(cursor, items[head...].firstIndex { $0.clientSequence == 0 } ?? items.count)
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
  }

  /// Lets go of everything.
  mutating func clear() {
    for item in items[head...] { if case .entry(let entry) = item.content { release(entry) } }
    items = []
    head = 0
    accepted = 0
    cursor = 0
  }

  private mutating func compact() {
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
