internal import Platform
internal import Primitives

/// Those who wait for something in a reactor, each once, first come first served.
struct FairQueue {
  private var keys: [Connection.Key] = []

  var isEmpty: Bool { keys.isEmpty }
  var count: Int { keys.count }

  mutating func append(_ key: Connection.Key) {
    keys.append(key)
  }

  /// Takes all of them out.
  mutating func takeAll() -> [Connection.Key] {
    defer { keys = [] }
    return keys
  }

  /// Puts those back who had no turn, before those who came meanwhile.
  mutating func putBack(_ rest: ArraySlice<Connection.Key>) {
    if !rest.isEmpty { keys = Array(rest) + keys }
  }
}

/// How long a phase of a turn may take, and what of it one socket may: whatever some bring, the others come soon.
struct TimeSlice {
  /// However many there are, each gets this much.
  private static let least = Duration.microseconds(50)

  private let end: MonotonicTime
  private let share: Duration
  private(set) var shareEnd: MonotonicTime

  /// Begins a phase for so many sockets.
  init(_ length: Duration, for sockets: Int) {
    let now = MonotonicTime.now()
    end = now + length
    share = max(Self.least, length / max(1, sockets))
    shareEnd = now + share
  }

  /// Whether another one may begin. Its share begins with the question.
  mutating func allowsAnother() -> Bool {
    let now = MonotonicTime.now()
    shareEnd = now + share
    return now < end
  }
}
