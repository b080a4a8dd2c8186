/// Why the gateway closes a socket: the close code, and the short JSON that stands in the close frame.
package struct CloseReason: Error, Equatable, Sendable {
  /// The most bytes of a reason: a control frame holds 125, the code takes two (RFC 6455 §5.5).
  package static let maximumReasonLength = 123

  /// The close code (RFC 6455 §7.4, or one of ours from 4000 on).
  package var code: UInt16
  /// The word that names the reason: an `ErrorCode`, as text.
  package var reasonCode: String
  /// What happened, in words; cut when the reason would be too long.
  package var detail: String
  /// After how many milliseconds to come back.
  package var retryAfterMs: UInt64?
  /// The limit that was reached.
  package var limit: UInt64?
  /// The versions the gateway speaks.
  package var versions: [String]?

  /// A reason of any code; the static members are those of the contract.
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

  /// The reason as it stands in the close frame: valid JSON in UTF-8, never more than 123 bytes.
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
    let member = Array(#","detail":""#.utf8)
    let room = Self.maximumReasonLength - head.count - member.count - 1 - tail.count
    // Without room for any words the numbers go, and the code stays: it is what clients decide by.
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

/// One member for each close code of the contract, or more where one code has several reasons.
extension CloseReason {
  /// 1000: the participant left.
  package static let left = CloseReason(1000, .left, "You left the session.")
  /// 1001: the gateway's answer to a page that goes.
  package static let pageGone = CloseReason(1001, .left, "The page went away.")
  /// 1002: not WebSocket.
  package static let protocolError = CloseReason(1002, .badRequest, "This breaks RFC 6455.")
  /// 1007: a control message that is no UTF-8.
  package static let notUTF8 = CloseReason(1007, .badRequest, "A text message must be UTF-8.")
  /// 1008: something else than `join` or `wait` came first.
  package static let notJoined = CloseReason(1008, .notJoined, "Send join first.")
  /// 1008: bytes that cannot be cut into entries.
  package static let badEntry = CloseReason(
    1008, .badEntry, "This message cannot be cut into entries.")
  /// 1008: ten bad control messages in a row.
  package static let badRequests = CloseReason(
    1008, .badRequest, "Too many control messages in a row were wrong.")
  /// 1011: a fault of ours.
  package static let internalFault = CloseReason(
    1011, .internal, "The gateway made a mistake. Please come back.")
  /// 4001: no `join` within `joinSeconds`.
  package static let noJoin = CloseReason(4001, .notJoined, "No join arrived in time.")
  /// 4004: there is no such session.
  package static let unknownSession = CloseReason(4004, .notFound, "There is no such session.")
  /// 4008: neither a byte sent nor one taken for 40 s.
  package static let noSignOfLife = CloseReason(4008, .noAnswer, "No sign of life for too long.")
  /// 4009: the same participant is on another socket now.
  package static let resumedElsewhere = CloseReason(
    4009, .resumedElsewhere, "You came back on another connection.")
  /// 4010: the session is over.
  package static let ended = CloseReason(4010, .ended, "The session has ended.")
  /// 4013: far behind; a resume helps.
  package static let tooSlow = CloseReason(
    4013, .tooSlow, "Too far behind to catch up here. Resume.")

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
    CloseReason(1013, code, "Not now. Please try again later.", retryAfterMs: retryAfterMs)
  }

  /// 4005: as many participants as there may be.
  package static func sessionFull(limit: Int) -> CloseReason {
    CloseReason(4005, .sessionFull, "The session is full.", limit: UInt64(clamping: limit))
  }

  /// 4026: none of the versions named is spoken.
  package static func unsupportedVersion(
    versions: [String] = [WireVersion.subprotocol]
  ) -> CloseReason {
    CloseReason(4026, .unsupportedVersion, "Version not spoken.", versions: versions)
  }

  /// 4029: the rate limit was ignored for long.
  package static func rateIgnored(retryAfterMs: UInt64) -> CloseReason {
    CloseReason(
      4029, .rateLimited, "Far too fast for too long.", retryAfterMs: retryAfterMs)
  }
}

/// The version of the wire that this gateway speaks.
package enum WireVersion {
  /// The WebSocket subprotocol.
  package static let subprotocol = "drawtogether.v1"
}
