/// The reason for which the gateway closes a socket: the close code, and the short JSON in the close frame.
package struct CloseReason: Error, Equatable, Sendable {
  /// The maximum number of bytes of a reason: the 125 payload bytes of a control frame, minus two bytes for the code (RFC 6455
  /// §5.5).
  package static let maximumReasonLength = 123

  /// The close code: below 4000 a code of RFC 6455 §7.4, otherwise a code of this protocol.
  package var code: UInt16
  /// The code of the reason: an `ErrorCode`, as text.
  package var reasonCode: String
  /// The reason in words; truncated if the JSON would be too long.
  package var detail: String
  /// The number of milliseconds after which the client may reconnect.
  package var retryAfterMs: UInt64?
  /// The limit that was reached.
  package var limit: UInt64?
  /// The versions that the gateway supports.
  package var versions: [String]?

  /// Creates a reason with any code; the static members are the reasons that the protocol defines.
  package init(
    _ code: UInt16, _ reasonCode: ErrorCode, _ detail: String, retryAfterMs: UInt64? = nil,
    limit: UInt64? = nil, versions: [String]? = nil
  ) {
    self.code = code
    self.reasonCode = reasonCode.rawValue
    self.detail = detail
    self.retryAfterMs = retryAfterMs
    self.limit = limit
    self.versions = versions
  }

  /// Returns the reason in the close frame: valid JSON in UTF-8, at most 123 bytes.
  package func payloadReason() -> [UInt8] {
    var head: [UInt8] = []
    head.append(contentsOf: #"{"code":"#.utf8)
    head.append(jsonString: reasonCode)
    var tail: [UInt8] = []
    if let retryAfterMs {
      tail.append(contentsOf: #","retryAfterMs":"#.utf8)
      tail.append(decimal: retryAfterMs)
    }
    if let limit {
      tail.append(contentsOf: #","limit":"#.utf8)
      tail.append(decimal: limit)
    }
    if let versions {
      tail.append(contentsOf: #","versions":["#.utf8)
      for (index, version) in versions.enumerated() {
        if index > 0 { tail.append(UInt8(ascii: ",")) }
        tail.append(jsonString: version)
      }
      tail.append(UInt8(ascii: "]"))
    }
    tail.append(UInt8(ascii: "}"))
    let start = head.count
    head.append(contentsOf: #","detail":"#.utf8)
    head.append(jsonString: detail)
    if head.count + tail.count <= Self.maximumReasonLength {
      head.append(contentsOf: tail)
      return head
    }
    // The JSON is too long, so the detail is written again, up to the maximum length.
    head.removeSubrange(start...)
    let member = Array(#","detail":""#.utf8)
    let room = Self.maximumReasonLength - head.count - member.count - 1 - tail.count
    // If there is no room for words, only the code is kept, because clients need it.
    guard room >= 0 else {
      head.append(UInt8(ascii: "}"))
      return head.count <= Self.maximumReasonLength ? head : Array("{}".utf8)
    }
    head.append(contentsOf: member)
    let end = head.count + room
    for scalar in detail.unicodeScalars {
      let before = head.count
      head.append(jsonScalar: scalar)
      if head.count > end {
        head.removeSubrange(before...)
        break
      }
    }
    head.append(UInt8(ascii: "\""))
    head.append(contentsOf: tail)
    return head
  }
}

/// The reasons that the protocol defines: one or more for each close code.
extension CloseReason {
  /// 1000: the participant left.
  package static let left = CloseReason(1000, .left, "You left the session.")
  /// 1002: the peer sent an invalid WebSocket frame.
  package static let protocolError = CloseReason(1002, .badRequest, "The frame violates RFC 6455.")
  /// 1008: the first message is not `join` or `wait`.
  package static let notJoined = CloseReason(1008, .notJoined, "Send join first.")
  /// 1008: a binary message that is not a sequence of entries.
  package static let badEntry = CloseReason(
    1008, .badEntry, "This message is not a sequence of entries.")
  /// 1008: ten invalid control messages in a row.
  package static let badRequests = CloseReason(
    1008, .badRequest, "Too many invalid control messages in a row.")
  /// 4001: no `join` within `joinSeconds`.
  package static let noJoin = CloseReason(4001, .notJoined, "No join arrived in time.")
  /// 4004: the session does not exist.
  package static let unknownSession = CloseReason(4004, .notFound, "There is no such session.")
  /// 4008: the peer has sent no byte, and acknowledged none, for 40 s.
  package static let unresponsive = CloseReason(
    4008, .noAnswer, "No bytes were sent or received for too long.")
  /// 4009: the participant has resumed on another socket.
  package static let resumedElsewhere = CloseReason(
    4009, .resumedElsewhere, "You resumed on another connection.")
  /// 4010: the session has ended.
  package static let ended = CloseReason(4010, .ended, "The session has ended.")
  /// 4013: the client was too far behind, and should resume.
  package static let tooSlow = CloseReason(
    4013, .tooSlow, "This connection is too far behind. Resume on a new one.")

  /// 1009: a control message over 64 KiB, or a binary one over 1 MiB.
  package static func messageTooLarge(limit: Int) -> CloseReason {
    CloseReason(1009, .messageTooLarge, "This message is too large.", limit: UInt64(clamping: limit))
  }

  /// 1012: the gateway restarts.
  package static func restarting(retryAfterMs: UInt64) -> CloseReason {
    CloseReason(1012, .unavailable, "The gateway restarts.", retryAfterMs: retryAfterMs)
  }

  /// 1013: try again later.
  package static func tryAgainLater(
    _ code: ErrorCode = .unavailable, retryAfterMs: UInt64
  ) -> CloseReason {
    CloseReason(1013, code, "Unavailable now. Please try again later.", retryAfterMs: retryAfterMs)
  }

  /// 4005: the session is full.
  package static func sessionFull(limit: Int) -> CloseReason {
    CloseReason(4005, .sessionFull, "The session is full.", limit: UInt64(clamping: limit))
  }

  /// 4026: the gateway supports none of the protocol versions that the client offers.
  package static func unsupportedVersion(
    versions: [String] = [WireVersion.subprotocol]
  ) -> CloseReason {
    CloseReason(4026, .unsupportedVersion, "Unsupported version.", versions: versions)
  }

  /// 4029: the client has exceeded the rate limit for too long.
  package static func rateLimitExceeded(retryAfterMs: UInt64) -> CloseReason {
    CloseReason(
      4029, .rateLimited, "You exceeded the rate limit for too long.", retryAfterMs: retryAfterMs)
  }
}

/// The supported version of the wire protocol.
package enum WireVersion {
  /// The WebSocket subprotocol.
  package static let subprotocol = "drawtogether.v1"
}
