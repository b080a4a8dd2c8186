/// The number of HTTP responses by kind of request and class of status. The counters are stored inline, so that a copy needs no
/// allocation.
package struct RequestCounts: Sendable {
  /// The target of a request.
  package enum Kind: String, CaseIterable, CounterLabel {
    case sessions
    case session
    case socket
    case attachments
    case attachment
    case history
    case echo
    case limits
    case healthz
    case readyz
    case metrics
    case file
    /// An unknown path below `/api`, or a malformed request.
    case other
  }

  private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]
  private static let classCount = 5
  private var counts: [65 of UInt64] = .init(repeating: 0)

  /// Creates counters that are zero.
  package init() {}

  /// Counts a response. An invalid status counts as 5xx.
  package mutating func count(_ kind: Kind, status: Int) {
    count(kind.ordinal, status: status)
  }

  /// Counts a response to the kind of request at an index of `Kind.labels`.
  mutating func count(_ ordinal: Int, status: Int) {
    let statusClass = 100..<600 ~= status ? status / 100 - 1 : Self.classCount - 1
    counts[ordinal * Self.classCount + statusClass] &+= 1
  }

  /// The number of responses for each kind of request and each class of status, such as `2xx`.
  package var labelled: [(kind: String, status: String, count: UInt64)] {
    Kind.labels.enumerated().flatMap { kind in
      Self.classes.indices.map {
        (kind.element, Self.classes[$0], counts[kind.offset * Self.classes.count + $0])
      }
    }
  }

  package static func += (total: inout RequestCounts, part: RequestCounts) {
    for index in total.counts.indices { total.counts[index] &+= part.counts[index] }
  }
}
