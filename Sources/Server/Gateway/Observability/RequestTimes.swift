/// The durations of requests by kind, stored inline as in `TimeHistogram`.
package struct RequestTimes: Sendable {
  /// The kinds of requests whose durations differ by nature.
  package enum Kind: String, CaseIterable, Sendable {
    /// A request to the API.
    case api
    /// A request that brings bytes of an attachment: as long as the client takes to send them.
    case upload
    /// A request for the content of an attachment: as long as the client takes to receive it.
    case download
    /// A file of the page.
    case page
  }

  private var api = TimeHistogram()
  private var uploads = TimeHistogram()
  private var downloads = TimeHistogram()
  private var page = TimeHistogram()

  /// Creates empty histograms.
  package init() {}

  /// The durations of one kind of request.
  package subscript(kind: Kind) -> TimeHistogram {
    get {
      switch kind {
      case .api: api
      case .upload: uploads
      case .download: downloads
      case .page: page
      }
    }
    set {
      switch kind {
      case .api: api = newValue
      case .upload: uploads = newValue
      case .download: downloads = newValue
      case .page: page = newValue
      }
    }
  }

  /// Counts one request.
  package mutating func count(_ kind: Kind, _ duration: Duration) {
    switch kind {
    case .api: api.count(duration)
    case .upload: uploads.count(duration)
    case .download: downloads.count(duration)
    case .page: page.count(duration)
    }
  }

  package static func += (total: inout RequestTimes, part: RequestTimes) {
    total.api += part.api
    total.uploads += part.uploads
    total.downloads += part.downloads
    total.page += part.page
  }
}

extension RequestTimes.Kind {
  /// Returns the kind of a request by its route and plan; `nil` for health checks, metrics and WebSockets.
  init?(_ route: Route, _ plan: HTTPConversation.Plan) {
    switch (route, plan) {
    case (.healthz, _), (.readyz, _), (.metrics, _), (.socket, _), (.echo, _): return nil
    case (_, .upload): self = .upload
    case (_, .journal(.read, _)): self = .download
    case (.file, _): self = .page
    default: self = .api
    }
  }
}
