/// Counts requests by what they asked for and by the class of the answer's status: in place, as `CounterVector` does.
package struct RequestCounts: Sendable {
  /// What a request asked for, as its label says it.
  package enum Kind: String, CaseIterable, Sendable {
    case sessions
    case session
    case socket
    case attachments
    case attachment
    case echo
    case limits
    case healthz
    case readyz
    case metrics
    case file
    /// Below `/api`, and nothing that there is; or none that could be read.
    case other
  }

  private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]
  private var counts: [60 of UInt64] = .init(repeating: 0)

  /// All zero.
  package init() {}

  /// Counts an answer with that status; one that is no HTTP status counts with those from 500 on.
  package mutating func count(_ kind: Kind, status: Int) {
    let statusClass = 100..<600 ~= status ? status / 100 - 1 : Self.classes.count - 1
    counts[kind.ordinal * Self.classes.count + statusClass] &+= 1
  }

  /// Each kind and class of status with its count.
  package var labelled: [(kind: String, status: String, count: UInt64)] {
    Kind.allCases.flatMap { kind in
      Self.classes.indices.map {
        (kind.rawValue, Self.classes[$0], counts[kind.ordinal * Self.classes.count + $0])
      }
    }
  }

  package static func += (total: inout RequestCounts, part: RequestCounts) {
    for place in total.counts.indices { total.counts[place] &+= part.counts[place] }
  }
}

extension RequestCounts.Kind {
  /// Its place in the order of the cases.
  fileprivate var ordinal: Int {
    switch self {
    case .sessions: 0
    case .session: 1
    case .socket: 2
    case .attachments: 3
    case .attachment: 4
    case .echo: 5
    case .limits: 6
    case .healthz: 7
    case .readyz: 8
    case .metrics: 9
    case .file: 10
    case .other: 11
    }
  }

  /// What a path names; nil: no request could be read.
  init(_ route: Route?) {
    self =
      switch route {
      case .sessions: .sessions
      case .session: .session
      case .socket: .socket
      case .attachments: .attachments
      case .attachment: .attachment
      case .echo: .echo
      case .limits: .limits
      case .healthz: .healthz
      case .readyz: .readyz
      case .metrics: .metrics
      case .file: .file
      case .unknownAPI, nil: .other
      }
  }
}
