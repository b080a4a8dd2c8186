import SessionClient
import Platform
import Wire

/// Gives those who take everything raw what comes, with nothing held back and nothing left out.
final class EntryBoard: Sendable {
  private struct State {
    var followers: [ObjectIdentifier: Inlet<GroupSessionEntry>] = [:]
    var isOver = false
  }
  private let state = Guarded(State())
  private let meter: ReadingMeter

  /// A board whose unread entries are counted there.
  init(meter: ReadingMeter) {
    self.meter = meter
  }

  /// Something happened; on the client's loop.
  func put(_ notice: Notice, gateway: GatewayAddress) {
    guard state.withLock({ !$0.followers.isEmpty }), let entry = GroupSessionEntry(notice, gateway: gateway)
    else {
      return
    }
    let count = state.withLock { state in
      for inlet in state.followers.values { inlet.put(entry) }
      return state.followers.count
    }
    meter.put(entry.cost * count)
  }

  /// Follows what comes from here on.
  func follow() -> EntryFollower {
    let inlet = Inlet<GroupSessionEntry>()
    let follower = EntryFollower(inlet: inlet, board: self)
    state.withLock { state in
      if state.isOver {
        inlet.finish(keepsWaiting: false)
      } else {
        state.followers[ObjectIdentifier(follower)] = inlet
      }
    }
    return follower
  }

  /// Ends all sequences, behind what waits.
  func close() {
    let followers = state.withLock { state in
      state.isOver = true
      defer { state.followers = [:] }
      return state.followers
    }
    for inlet in followers.values { inlet.finish(keepsWaiting: true) }
  }

  fileprivate func took(_ bytes: Int) {
    meter.took(bytes)
  }

  fileprivate func remove(_ follower: ObjectIdentifier, _ inlet: Inlet<GroupSessionEntry>) {
    state.withLock { $0.followers[follower] = nil }
    took(inlet.finish(keepsWaiting: false).reduce(0) { $0 + $1.cost })
  }
}

/// One sequence's following of everything; it ends when nobody holds it.
final class EntryFollower: Sendable {
  private let inlet: Inlet<GroupSessionEntry>
  private let board: EntryBoard

  fileprivate init(inlet: Inlet<GroupSessionEntry>, board: EntryBoard) {
    self.inlet = inlet
    self.board = board
  }

  deinit {
    board.remove(ObjectIdentifier(self), inlet)
  }

  /// What happened next; nil at the end.
  func next() async -> GroupSessionEntry? {
    guard let entry = await inlet.next() else { return nil }
    board.took(entry.cost)
    return entry
  }
}

extension GroupSessionEntry {
  /// What it counts against the limit, in bytes.
  fileprivate var cost: Int {
    if case .message(let message) = self { message.payload.count + 128 } else { 128 }
  }
}
