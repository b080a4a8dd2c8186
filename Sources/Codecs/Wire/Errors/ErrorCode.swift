/// The code of a refusal or a close reason. The codes are part of the wire protocol and never change their meaning.
package enum ErrorCode: String, CaseIterable, Codable, Sendable {
  /// The request or the control message is malformed.
  case badRequest = "bad-request"
  /// None of the client's versions is supported.
  case unsupportedVersion = "unsupported-version"
  /// The resource does not exist and never did.
  case notFound = "not-found"
  /// The session has ended.
  case ended
  /// The session has its maximum number of participants.
  case sessionFull = "session-full"
  /// The request is from a page of another origin.
  case originRefused = "origin-refused"
  /// The request requires the token of a current or former participant of the session.
  case tokenNeeded = "token-needed"
  /// The first message must be `join`.
  case notJoined = "not-joined"
  /// The message is too long.
  case messageTooLarge = "message-too-large"
  /// The participant exceeds the rate limit.
  case rateLimited = "rate-limited"
  /// The client sequence is not the next one.
  case sequenceGap = "sequence-gap"
  /// The entry breaks a rule of its format.
  case badEntry = "bad-entry"
  /// A target is not a participant's number.
  case unknownParticipant = "unknown-participant"
  /// The session is full.
  case sessionQuota = "session-quota"
  /// The attachment is too large.
  case attachmentTooLarge = "attachment-too-large"
  /// The gateway's disk is full.
  case storageFull = "storage-full"
  /// The offset in the request is not the offset of the upload's next byte.
  case offsetMismatch = "offset-mismatch"
  /// The content does not match its declared digest.
  case digestMismatch = "digest-mismatch"
  /// The attachment is still being uploaded.
  case notReady = "not-ready"
  /// There are too many sessions or connections.
  case tooMany = "too-many"
  /// The gateway is starting, stopping or temporarily out of order.
  case unavailable
  /// An internal error of the gateway.
  case `internal`

  /// In close reasons only: the participant left.
  case left
  /// In close reasons only: the peer did not respond.
  case noAnswer = "no-answer"
  /// In close reasons only: the participant has resumed on another socket.
  case resumedElsewhere = "resumed-elsewhere"
  /// In close reasons only: the client was too far behind.
  case tooSlow = "too-slow"

  /// A short title for human readers.
  package var title: String {
    switch self {
    case .badRequest: "Bad request"
    case .unsupportedVersion: "Unsupported version"
    case .notFound: "Not found"
    case .ended: "Session ended"
    case .sessionFull: "Session full"
    case .originRefused: "Origin refused"
    case .tokenNeeded: "Participant token needed"
    case .notJoined: "Not joined"
    case .messageTooLarge: "Message too large"
    case .rateLimited: "Too fast"
    case .sequenceGap: "Gap in the client sequences"
    case .badEntry: "Bad entry"
    case .unknownParticipant: "Unknown participant"
    case .sessionQuota: "Session quota reached"
    case .attachmentTooLarge: "Attachment too large"
    case .storageFull: "Storage full"
    case .offsetMismatch: "Offset mismatch"
    case .digestMismatch: "Digest mismatch"
    case .notReady: "Not ready yet"
    case .tooMany: "Too many"
    case .unavailable: "Unavailable"
    case .internal: "Internal error"
    case .left: "Left"
    case .noAnswer: "No response"
    case .resumedElsewhere: "Resumed elsewhere"
    case .tooSlow: "Client too slow"
    }
  }

  /// The HTTP status of the code, unless a refusal sets another one.
  package var status: Int {
    switch self {
    case .badRequest, .unsupportedVersion, .badEntry, .left: 400
    case .originRefused, .tokenNeeded, .notJoined: 403
    case .notFound, .unknownParticipant: 404
    case .noAnswer: 408
    case .sequenceGap, .offsetMismatch, .notReady, .resumedElsewhere: 409
    case .ended: 410
    case .messageTooLarge, .attachmentTooLarge, .sessionQuota: 413
    case .digestMismatch: 422
    case .rateLimited, .tooSlow: 429
    case .internal: 500
    case .sessionFull, .tooMany, .unavailable: 503
    case .storageFull: 507
    }
  }
}
