/// The durations of requests by what they asked for: in place, as `TimeHistogram` is.
package struct RequestTimes: Sendable {
  /// What takes its time in a way of its own.
  package enum Kind: String, CaseIterable, Sendable {
    /// A question to the API, or a change by it.
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

  /// Nothing counted.
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
  /// The kind of a request by its route and what is done about it; `nil` for health checks, for the metrics and for WebSockets.
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
