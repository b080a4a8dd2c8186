extension RequestCounts.Kind {
  /// Returns the kind of a route for the metrics; `other` for nil, which stands for a malformed request.
  init(_ route: Route?) {
    self =
      switch route {
      case .sessions: .sessions
      case .session: .session
      case .socket: .socket
      case .attachments: .attachments
      case .attachment: .attachment
      case .history: .history
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

extension RequestTimes.Kind {
  /// Returns the kind of a request for the metrics, by route and plan; nil for health checks, metrics and WebSockets, which are
  /// not measured.
  init?(_ route: Route, _ plan: HTTPExchange.Plan) {
    switch (route, plan) {
    case (.healthz, _), (.readyz, _), (.metrics, _), (.socket, _), (.echo, _): return nil
    case (_, .upload): self = .upload
    case (_, .attachments(.read, _)), (_, .history): self = .download
    case (.file, _): self = .page
    default: self = .api
    }
  }
}
