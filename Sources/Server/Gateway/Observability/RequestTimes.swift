/// The durations of requests by kind. The histograms are stored inline, so that a copy needs no allocation.
package struct RequestTimes: Sendable {
  /// The kinds of requests. Each kind has its own histogram, because some durations depend on the client's data rate and others
  /// do not.
  package enum Kind: String, CaseIterable, CounterLabel {
    /// A request to the API.
    case api
    /// A request that sends bytes of an attachment. Its duration depends on the client's sending rate.
    case upload
    /// A request for the content of an attachment. Its duration depends on the client's receiving rate.
    case download
    /// A request for a file of the page.
    case page
  }

  private var histograms: [4 of TimeHistogram] = .init(repeating: TimeHistogram())

  /// Creates empty histograms.
  package init() {}

  /// The durations of one kind of request.
  package subscript(kind: Kind) -> TimeHistogram { histograms[kind.ordinal] }

  /// Adds the duration of one request.
  package mutating func count(_ kind: Kind, _ duration: Duration) {
    histograms[kind.ordinal].count(duration)
  }

  package static func += (total: inout RequestTimes, part: RequestTimes) {
    for index in total.histograms.indices { total.histograms[index] += part.histograms[index] }
  }
}
