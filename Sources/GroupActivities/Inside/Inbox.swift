import Client
import Transport
import Wire

/// Leads a session's messages to those who listen, by their types.
final class Inbox: Sendable {
  private struct Listener {
    let id: UInt64
    let inlet: Inlet<ReceivedEntry>
    /// It began in the middle of a snapshot, whose repeats nobody has told it: the highest client sequence that it was
    /// told of each sender since, for the snapshot may be cut and begin anew. Nil for who began elsewhere.
    var told: [ParticipantNumber: UInt32]?

    /// Whether an entry is news to it, which it then no longer is.
    mutating func takes(_ entry: ReceivedEntry) -> Bool {
      guard let highest = told?[entry.source.number, default: 0] else { return !entry.isRepeat }
      guard !entry.isRepeat || entry.clientSequence > highest else { return false }
      told?[entry.source.number] = max(highest, entry.clientSequence)
      return true
    }
  }

  private struct State {
    var listeners: [String: [Listener]] = [:]
    /// The types that somebody has listened to.
    var known: Set<String> = []
    var held = HeldMessages()
    var holds = true
    var nextID: UInt64 = 0
    var isInSnapshot = false
    var isOver = false
    var isCut = false
  }
  private let state = Guarded(State())
  private let meter: ReadingMeter

  /// An inbox whose unread messages are counted there.
  init(meter: ReadingMeter) {
    self.meter = meter
  }

  /// Holds no messages for who may listen later: a program that takes everything raw has no use for them.
  func holdNothing() {
    state.withLock { state in
      state.holds = false
      state.held = HeldMessages()
    }
  }

  /// A message, or my own; on the client's loop.
  func deliver(_ entry: ReceivedEntry) {
    let changesNothing = entry.flags.contains(.existing)
    let isMessage = !entry.isMine && !changesNothing && entry.flags.retention != .remove
    let bytes = state.withLock { state -> Int in
      guard !state.isOver, !changesNothing else { return 0 }
      let isKnown = state.known.contains(entry.type)
      if state.holds {
        state.held.take(entry, holds: isMessage && !isKnown && entry.flags.contains(.reliable))
      }
      guard isMessage, isKnown, let listeners = state.listeners[entry.type] else { return 0 }
      var bytes = 0
      for index in listeners.indices where state.listeners[entry.type]?[index].takes(entry) == true {
        listeners[index].inlet.put(entry)
        bytes += entry.cost
      }
      return bytes
    }
    meter.put(bytes)
  }

  /// What follows is a catch-up.
  func beginCatchUp(isSnapshot: Bool) {
    state.withLock { state in
      state.isInSnapshot = isSnapshot
      if isSnapshot { state.held.beginSnapshot() }
    }
  }

  /// What follows is live.
  func endCatchUp() {
    state.withLock { state in
      state.isInSnapshot = false
      for type in state.listeners.keys {
        for index in state.listeners[type, default: []].indices {
          state.listeners[type]?[index].told = nil
        }
      }
    }
  }

  /// Begins to listen; the first who listens to a type is given what was held of it.
  func listen(to type: String) -> MessageListener {
    let inlet = Inlet<ReceivedEntry>()
    let (id, bytes) = state.withLock { state in
      state.nextID += 1
      guard !state.isCut else {
        inlet.finish(keepsWaiting: false)
        return (state.nextID, 0)
      }
      let isFirst = state.known.insert(type).inserted
      let released = isFirst ? state.held.release(type) : []
      for entry in released { inlet.put(entry) }
      let bytes = released.reduce(0) { $0 + $1.cost }
      guard !state.isOver else {
        inlet.finish(keepsWaiting: true)
        return (state.nextID, bytes)
      }
      var listener = Listener(id: state.nextID, inlet: inlet, told: isFirst && state.isInSnapshot ? [:] : nil)
      for entry in released { _ = listener.takes(entry) }
      state.listeners[type, default: []].append(listener)
      return (state.nextID, bytes)
    }
    meter.put(bytes)
    return MessageListener(type: type, id: id, inlet: inlet, inbox: self)
  }

  /// Ends all sequences.
  ///
  /// - Parameter keepsWaiting: whether what has come may still be read; nothing may after a leave of one's own.
  func close(keepsWaiting: Bool) {
    let listeners = state.withLock { state in
      state.isOver = true
      if !keepsWaiting { state.isCut = true }
      defer { state.listeners = [:] }
      return state.listeners
    }
    for listener in listeners.values.joined() { listener.inlet.finish(keepsWaiting: keepsWaiting) }
  }

  /// Whether nothing may be read any more.
  var isCut: Bool { state.withLock { $0.isCut } }

  fileprivate func took(_ bytes: Int) {
    meter.took(bytes)
  }

  fileprivate func remove(_ listener: MessageListener) {
    state.withLock { state in
      state.listeners[listener.type]?.removeAll { $0.id == listener.id }
    }
    let left = listener.inlet.finish(keepsWaiting: false)
    took(left.reduce(0) { $0 + $1.cost })
  }
}

/// One iterator's place in an inbox; it stops listening when nobody holds it.
final class MessageListener: Sendable {
  fileprivate let type: String
  fileprivate let id: UInt64
  fileprivate let inlet: Inlet<ReceivedEntry>
  private let inbox: Inbox

  fileprivate init(type: String, id: UInt64, inlet: Inlet<ReceivedEntry>, inbox: Inbox) {
    self.type = type
    self.id = id
    self.inlet = inlet
    self.inbox = inbox
  }

  deinit {
    inbox.remove(self)
  }

  /// The next message of the type; nil when there will be none.
  func next() async -> ReceivedEntry? {
    guard let entry = await inlet.next() else { return nil }
    inbox.took(entry.cost)
    return entry
  }

  /// Whether even what has come may no longer be read.
  var isCut: Bool { inbox.isCut }
}
