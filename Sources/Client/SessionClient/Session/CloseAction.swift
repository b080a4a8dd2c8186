internal import Wire

/// The reaction to the end of a socket.
enum CloseAction: Equatable {
  /// Reconnect, after at least this delay. The text is the cause, if known.
  case reconnect(after: Duration = .zero, cause: String? = nil)
  /// Reconnect as a new participant.
  case reconnectAsNew
  /// End the session.
  case end(EndReason)

  /// Chooses the reaction.
  ///
  /// - Parameters:
  ///   - end: the end of the socket.
  ///   - wasJoined: true if the session was joined before, on any socket.
  init(_ end: SocketEnd, wasJoined: Bool) {
    switch end {
    case .closed(let code, let reason): self.init(code: code, reason: reason, wasJoined: wasJoined)
    case .broken(let cause), .unreachable(let cause): self = .reconnect(cause: cause)
    case .refused(let status, let detail, let retryAfter):
      // After a 4xx status other than 408, 425 and 429, repeating the request does not help: for example, the host is wrong or
      // the request is forbidden.
      let isFinal = !wasJoined && (400..<500).contains(status) && ![408, 425, 429].contains(status)
      self =
        isFinal
        ? .end(status == 404 ? .notFound : .refused(code: UInt16(clamping: status), detail: detail))
        : .reconnect(after: retryAfter ?? .zero, cause: detail)
    case .notTrusted(let cause): self = wasJoined ? .reconnect(cause: cause) : .end(.notTrusted(cause))
    case .noGateway(let cause): self = wasJoined ? .reconnect(cause: cause) : .end(.noGateway(cause))
    }
  }

  private init(code: UInt16, reason: [UInt8], wasJoined: Bool) {
    let reason = CloseReasonText(reason)
    let detail = reason.detail ?? "The gateway closed the connection with code \(code)."
    switch code {
    case 1000: self = .end(.left)
    case 4010: self = .end(.ended)
    case 4004: self = .end(.notFound)
    // 4005: the session is full. If the client had joined this session before, the client tries again until a slot is free.
    case 4005: self = wasJoined ? .reconnect(after: .seconds(1), cause: detail) : .end(.full)
    case 4026: self = .end(.versionNotSpoken)
    case 1002, 1003, 1007, 1008, 1009: self = .end(.refused(code: code, detail: detail))
    case 4009: self = .reconnectAsNew
    case 4029: self = .reconnect(after: max(reason.retryAfter, .seconds(5)), cause: detail)
    // All other codes: 1001, 1005, 1006, 1011, 1012, 1013, 4001, 4008, 4013, and codes of later versions.
    default: self = .reconnect(after: reason.retryAfter, cause: detail)
    }
  }
}

/// The reason of a close frame: short JSON from a gateway, or any text from another server.
private struct CloseReasonText {
  var detail: String?
  var retryAfter = Duration.zero

  init(_ reason: [UInt8]) {
    // A reason that is not JSON may come from a proxy, and is ignored.
    guard case .object(let members)? = try? JSONParser.parse(reason.span) else { return }
    if case .string(let text)? = members["detail"] { detail = text }
    // A number out of range is treated as if no delay was given.
    if let ms = try? members.integer("retryAfterMs", as: UInt64.self) {
      retryAfter = .milliseconds(Int64(min(ms, 60_000)))
    }
  }
}
