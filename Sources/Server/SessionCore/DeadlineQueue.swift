internal import struct FoundationEssentials.UUID

/// Moments at which something about an attachment is due, the earliest first.
struct DeadlineQueue {
  private var items: [(at: Instant, id: UUID)] = []

  /// The earliest moment.
  var first: Instant? { items.first?.at }

  mutating func insert(_ id: UUID, at instant: Instant) {
    items.insert((instant, id), at: items.partitionIndex { $0.at > instant })
  }

  /// Takes out what was inserted so; nothing when it is not there.
  mutating func remove(_ id: UUID, at instant: Instant) {
    var index = items.partitionIndex { $0.at >= instant }
    while index < items.count, items[index].at == instant {
      if items[index].id == id {
        items.remove(at: index)
        return
      }
      index += 1
    }
  }

  /// Takes out the earliest if its moment has come.
  mutating func popFirst(until now: Instant) -> UUID? {
    guard let first = items.first, first.at <= now else { return nil }
    return items.removeFirst().id
  }
}
