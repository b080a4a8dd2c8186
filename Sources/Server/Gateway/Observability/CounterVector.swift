package import Wire

/// What a count is kept by: one of a fixed, ordered list of keys, each with its label in `/metrics`.
package protocol CounterLabel: Sendable {
  /// The label of each key, in order; at most `CounterVector.capacity`.
  static var labels: [String] { get }
  /// This key's place in `labels`.
  var ordinal: Int { get }
}

/// One count for each key, stored in place: copying it allocates nothing.
package struct CounterVector<Key: CounterLabel>: Sendable {
  /// How many keys there may be.
  package static var capacity: Int { 40 }

  private var counts: [40 of UInt64] = .init(repeating: 0)

  /// All zero.
  package init() {}

  /// The count of one key.
  package subscript(key: Key) -> UInt64 {
    get { counts[key.ordinal] }
    set { counts[key.ordinal] = newValue }
  }

  /// Each label with its count, in the order of the keys.
  package var labelled: [(label: String, count: UInt64)] {
    Key.labels.enumerated().map { ($0.element, counts[$0.offset]) }
  }

  package static func += (total: inout CounterVector, part: CounterVector) {
    for place in total.counts.indices { total.counts[place] &+= part.counts[place] }
  }
}

/// Keys that are numbers: those listed are counted apart, the rest together as `other`.
package protocol NumberLabel: CounterLabel {
  /// The numbers counted apart.
  static var listed: [UInt16] { get }
  /// The number that was counted.
  var number: UInt16 { get }
}

extension NumberLabel {
  package static var labels: [String] { listed.map { String($0) } + ["other"] }
  package var ordinal: Int { Self.listed.firstIndex(of: number) ?? Self.listed.count }
}

/// A WebSocket close code, as a key.
package struct CloseCodeLabel: NumberLabel {
  package static let listed: [UInt16] = [
    1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1011, 1012, 1013,
    4001, 4004, 4005, 4008, 4009, 4010, 4013, 4026, 4029,
  ]
  package let number: UInt16

  /// The key of a close code.
  package init(_ code: UInt16) { number = code }
}

/// The status of an HTTP answer, as a key.
package struct StatusLabel: NumberLabel {
  package static let listed: [UInt16] = [
    101, 200, 201, 204, 206, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 411, 412, 413, 414, 415,
    416,
    417, 421, 422, 426, 429, 431, 460, 500, 501, 503, 505, 507,
  ]
  package let number: UInt16

  /// The key of a status.
  package init(_ status: some BinaryInteger) { number = UInt16(clamping: status) }
}

/// How somebody came into a session.
package enum Arrival: String, CaseIterable, CounterLabel {
  /// As a new participant.
  case new
  /// Back, with exactly the entries that were missed.
  case tail
  /// Back, with a whole snapshot.
  case snapshot

  package static var labels: [String] { allCases.map(\.rawValue) }
  package var ordinal: Int {
    switch self {
    case .new: 0
    case .tail: 1
    case .snapshot: 2
    }
  }
}

/// Why a request that brought bytes broke off before its end.
package enum UploadCut: String, CaseIterable, CounterLabel {
  /// The client went.
  case gone
  /// Nothing came for too long.
  case stalled
  /// It brought too little a second while all upload slots were taken.
  case slow
  /// The gateway stops.
  case stopping

  package static var labels: [String] { allCases.map(\.rawValue) }
  package var ordinal: Int {
    switch self {
    case .gone: 0
    case .stalled: 1
    case .slow: 2
    case .stopping: 3
    }
  }
}

extension ErrorCode: CounterLabel {
  package static var labels: [String] { allCases.map(\.rawValue) }
  package var ordinal: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
