import SessionClient
import FoundationEssentials
import Platform
import Wire

/// The attachments of a session, as those who follow them are told: whole each time, and only what can be read.
final class JournalBoard: Sendable {
  private struct State {
    var ready: [AttachmentObject] = []
    /// Whether it is known what there is: not before the first catch-up.
    var isKnown = false
    var hasChanged = false
    var isOver = false
    var isCut = false
    var followers: [ObjectIdentifier: Inlet<[AttachmentObject]>] = [:]
  }
  private let state = Guarded(State())

  /// All attachments, those that are still arriving too.
  func update(_ attachments: [AttachmentObject]) {
    let ready = attachments.filter { $0.state == .ready }
    state.withLock { state in
      guard state.ready.map(\.id) != ready.map(\.id) else { return }
      state.ready = ready
      state.hasChanged = true
    }
    tell()
  }

  /// It is known what there is. Within a later catch-up nothing is told before it is whole.
  func endCatchUp() {
    state.withLock { state in
      if !state.isKnown {
        state.isKnown = true
        state.hasChanged = true
      }
    }
    tell()
  }

  private func tell() {
    let (inlets, ready) = state.withLock { state -> ([Inlet<[AttachmentObject]>], [AttachmentObject]) in
      guard state.hasChanged, state.isKnown, !state.isOver else { return ([], []) }
      state.hasChanged = false
      return (Array(state.followers.values), state.ready)
    }
    for inlet in inlets { inlet.replace(with: ready) }
  }

  /// Follows them: what there is first, then each change.
  func follow() -> JournalFollower {
    let inlet = Inlet<[AttachmentObject]>()
    let follower = JournalFollower(inlet: inlet, board: self)
    state.withLock { state in
      if state.isKnown, !state.isCut { inlet.put(state.ready) }
      if state.isOver {
        inlet.finish(keepsWaiting: !state.isCut)
      } else {
        state.followers[ObjectIdentifier(follower)] = inlet
      }
    }
    return follower
  }

  /// The attachment as it is once it can be read; nil while it cannot.
  func ready(_ id: UUID) -> AttachmentObject? {
    state.withLock { $0.ready.first { $0.id == id } }
  }

  /// Ends all sequences.
  func close(keepsWaiting: Bool) {
    let followers = state.withLock { state in
      state.isOver = true
      if !keepsWaiting { state.isCut = true }
      defer { state.followers = [:] }
      return state.followers
    }
    for inlet in followers.values { inlet.finish(keepsWaiting: keepsWaiting) }
  }

  fileprivate func remove(_ follower: ObjectIdentifier) {
    state.withLock { $0.followers[follower] = nil }
  }
}

/// One iterator's following of a journal; it ends when nobody holds it.
final class JournalFollower: Sendable {
  private let inlet: Inlet<[AttachmentObject]>
  private let board: JournalBoard

  fileprivate init(inlet: Inlet<[AttachmentObject]>, board: JournalBoard) {
    self.inlet = inlet
    self.board = board
  }

  deinit {
    board.remove(ObjectIdentifier(self))
  }

  /// The attachments as they are now; waits for a change behind the last that it gave. Nil when there will be none.
  func next() async -> [AttachmentObject]? {
    await inlet.next()
  }
}
