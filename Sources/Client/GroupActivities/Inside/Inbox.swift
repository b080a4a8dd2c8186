import SessionClient
import Networking
import Platform
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
    /// Nil while events are delivered as they arrive.
    var deferred: DeferredEvents?

    /// Delivers an event, or defers it while delivery is suspended.
    ///
    /// - Returns: the number of bytes that now wait for readers.
    mutating func take(_ event: InboxEvent) -> Int {
      guard deferred != nil else { return deliver(event) }
      // A program that takes everything raw has no use for messages without a listener.
      if case .entry = event, !holds, listeners.isEmpty { return 0 }
      deferred?.append(event)
      return deferred?.isFull == true ? resumeDelivery() : 0
    }

    /// Delivers what was deferred.
    ///
    /// - Returns: the number of bytes that now wait for readers.
    mutating func resumeDelivery() -> Int {
      let events = deferred?.events ?? []
      deferred = nil
      return events.reduce(0) { $0 + deliver($1) }
    }

    private mutating func deliver(_ event: InboxEvent) -> Int {
      switch event {
      case .entry(let entry): return deliver(entry)
      case .catchUpBegan(let isSnapshot):
        isInSnapshot = isSnapshot
        if isSnapshot { held.beginSnapshot() }
      case .catchUpEnded:
        isInSnapshot = false
        for type in listeners.keys {
          for index in listeners[type, default: []].indices { listeners[type]?[index].told = nil }
        }
      }
      return 0
    }

    private mutating func deliver(_ entry: ReceivedEntry) -> Int {
      let changesNothing = entry.flags.contains(.existing)
      let isMessage = !entry.isMine && !changesNothing && entry.flags.retention != .remove
      guard !isOver, !changesNothing else { return 0 }
      let isKnown = known.contains(entry.type)
      if holds { held.take(entry, holds: isMessage && !isKnown && entry.flags.contains(.reliable)) }
      guard isMessage, isKnown, let listening = listeners[entry.type] else { return 0 }
      var bytes = 0
      for index in listening.indices where listeners[entry.type]?[index].takes(entry) == true {
        listening[index].inlet.put(entry)
        bytes += entry.cost
      }
      return bytes
    }
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

  /// Takes a message, or my own; on the client's loop.
  func deliver(_ entry: ReceivedEntry) {
    take(.entry(entry))
  }

  /// What follows is a catch-up.
  func beginCatchUp(isSnapshot: Bool) {
    take(.catchUpBegan(isSnapshot: isSnapshot))
  }

  /// What follows is live.
  func endCatchUp() {
    take(.catchUpEnded)
  }

  /// Defers what arrives from here on, up to 256 MiB, until `resumeDelivery`.
  func suspendDelivery() {
    state.withLock { $0.deferred = DeferredEvents() }
  }

  /// Delivers what was deferred, in its order, and from here on everything as it arrives.
  func resumeDelivery() {
    meter.put(state.withLock { $0.resumeDelivery() })
  }

  private func take(_ event: InboxEvent) {
    meter.put(state.withLock { $0.take(event) })
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
    let (listeners, bytes) = state.withLock { state in
      let bytes = keepsWaiting ? state.resumeDelivery() : 0
      state.deferred = nil
      state.isOver = true
      if !keepsWaiting { state.isCut = true }
      defer { state.listeners = [:] }
      return (state.listeners, bytes)
    }
    meter.put(bytes)
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
