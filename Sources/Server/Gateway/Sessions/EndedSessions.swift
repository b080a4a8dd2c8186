internal import Primitives
internal import SessionCore
internal import Wire

/// The ids of ended sessions. The gateway keeps them so that a request for an ended session gets the answer "ended" instead of
/// "unknown". The number of ids is limited, and the oldest ids are removed first.
struct EndedSessions {
  private static let capacity = 100_000

  private let keepSeconds: Int
  private var until: [SessionID: MonotonicTime] = [:]
  private var order: [SessionID] = []
  private var head = 0

  init(keepSeconds: Int) {
    self.keepSeconds = keepSeconds
  }

  func contains(_ id: SessionID, now: MonotonicTime) -> Bool {
    until[id].map { $0 > now } ?? false
  }

  mutating func insert(_ id: SessionID, now: MonotonicTime) {
    until[id] = now.adding(seconds: keepSeconds)
    order.append(id)
    while head < order.count,
      order.count - head > Self.capacity || !(until[order[head]].map { $0 > now } ?? false)
    {
      until[order[head]] = nil
      head += 1
    }
    if head > 1024, head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
  }
}
