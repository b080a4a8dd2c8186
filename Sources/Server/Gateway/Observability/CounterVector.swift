package import SessionCore
package import Wire

/// A label of a `CounterVector`. Each conforming type has a fixed, ordered list of labels.
package protocol CounterLabel: Sendable {
  /// All labels, in the order in which `/metrics` lists them. There are at most `CounterVector.capacity` labels.
  static var labels: [String] { get }
  /// The index of this label in `labels`.
  var ordinal: Int { get }
}

extension CounterLabel
where Self: CaseIterable & RawRepresentable & Equatable, RawValue == String, AllCases == [Self] {
  package static var labels: [String] { allCases.map(\.rawValue) }
  package var ordinal: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One counter per label. The counters are stored inline, so that a copy needs no allocation.
package struct CounterVector<Label: CounterLabel>: Sendable {
  /// The maximum number of labels.
  package static var capacity: Int { 40 }

  private var counts: [40 of UInt64] = .init(repeating: 0)

  /// Creates counters that are zero.
  package init() {}

  /// The counter of one label.
  package subscript(label: Label) -> UInt64 {
    get { counts[label.ordinal] }
    set { counts[label.ordinal] = newValue }
  }

  /// Increments the counter at an index of `Label.labels`.
  mutating func increment(_ ordinal: Int) { counts[ordinal] += 1 }

  /// All labels with their counts, in order.
  package var labelled: [(label: String, count: UInt64)] {
    Label.labels.enumerated().map { ($0.element, counts[$0.offset]) }
  }

  package static func += (total: inout CounterVector, part: CounterVector) {
    for index in total.counts.indices { total.counts[index] &+= part.counts[index] }
  }
}

/// A label that is a number. Each listed number has its own counter. All other numbers share the counter `other`.
package protocol NumberLabel: CounterLabel {
  /// The numbers that have their own counters.
  static var listed: [UInt16] { get }
  /// The number of this label.
  var number: UInt16 { get }
}

extension NumberLabel {
  package static var labels: [String] { listed.map { String($0) } + ["other"] }
  package var ordinal: Int { Self.listed.firstIndex(of: number) ?? Self.listed.count }
}

/// A WebSocket close code.
package struct CloseCodeLabel: NumberLabel {
  package static let listed: [UInt16] = [
    1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1011, 1012, 1013,
    4001, 4004, 4005, 4008, 4009, 4010, 4013, 4026, 4029,
  ]
  package let number: UInt16

  /// Creates the label of a close code.
  package init(_ code: UInt16) { number = code }
}

/// A status of an HTTP response.
package struct StatusLabel: NumberLabel {
  package static let listed: [UInt16] = [
    101, 200, 201, 204, 206, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 411, 412, 413, 414, 415,
    416,
    417, 421, 422, 426, 429, 431, 460, 500, 501, 503, 505, 507,
  ]
  package let number: UInt16

  /// Creates the label of a status.
  package init(_ status: some BinaryInteger) { number = UInt16(clamping: status) }
}

/// The reason why an upload request ended before its last byte.
package enum UploadCut: String, CaseIterable, CounterLabel {
  /// The client closed the connection.
  case gone
  /// No bytes arrived for too long.
  case stalled
  /// Too few bytes per second arrived while all upload slots were in use.
  case slow
  /// The gateway was stopping.
  case stopping
}

extension JoinKind: CounterLabel {}
extension ErrorCode: CounterLabel {}
