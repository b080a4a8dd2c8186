/// Why something was refused or a socket closed. The words are part of the wire and never change meaning.
package enum ErrorCode: String, CaseIterable, Codable, Sendable {
  /// Not what this request, or control message, looks like.
  case badRequest = "bad-request"
  /// None of the versions a client named is spoken here.
  case unsupportedVersion = "unsupported-version"
  /// There is, and was, no such thing.
  case notFound = "not-found"
  /// The session is over.
  case ended
  /// The session has as many participants as it may.
  case sessionFull = "session-full"
  /// A page from elsewhere asked.
  case originRefused = "origin-refused"
  /// Only somebody who is or was in the session may.
  case tokenNeeded = "token-needed"
  /// Nothing goes before `join`.
  case notJoined = "not-joined"
  /// Longer than a message may be.
  case messageTooLarge = "message-too-large"
  /// Faster than a participant may send.
  case rateLimited = "rate-limited"
  /// A client sequence that is not the next.
  case sequenceGap = "sequence-gap"
  /// An entry that breaks a rule of its own format.
  case badEntry = "bad-entry"
  /// A target number that was never given out.
  case unknownParticipant = "unknown-participant"
  /// The session holds as much as it may.
  case sessionQuota = "session-quota"
  /// Longer than an attachment may be.
  case attachmentTooLarge = "attachment-too-large"
  /// The gateway's disk is full.
  case storageFull = "storage-full"
  /// An upload goes on somewhere else than it stopped.
  case offsetMismatch = "offset-mismatch"
  /// What arrived is not what was announced.
  case digestMismatch = "digest-mismatch"
  /// The attachment is still being uploaded.
  case notReady = "not-ready"
  /// More sessions or connections than there may be.
  case tooMany = "too-many"
  /// Not now: starting, stopping or broken for a while.
  case unavailable
  /// A fault of the gateway's own.
  case `internal`

  /// In close reasons only: the participant left.
  case left
  /// In close reasons only: no sign of life.
  case noAnswer = "no-answer"
  /// In close reasons only: the same participant is on another socket now.
  case resumedElsewhere = "resumed-elsewhere"
  /// In close reasons only: the reader fell too far behind.
  case tooSlow = "too-slow"

  /// A short title in words, for people.
  package var title: String {
    switch self {
    case .badRequest: "Bad request"
    case .unsupportedVersion: "Version not spoken"
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
    case .sessionQuota: "Session's quota reached"
    case .attachmentTooLarge: "Attachment too large"
    case .storageFull: "Storage full"
    case .offsetMismatch: "Offset mismatch"
    case .digestMismatch: "Digest mismatch"
    case .notReady: "Not ready yet"
    case .tooMany: "Too many"
    case .unavailable: "Unavailable"
    case .internal: "Fault of the gateway"
    case .left: "Left"
    case .noAnswer: "No sign of life"
    case .resumedElsewhere: "Resumed elsewhere"
    case .tooSlow: "Reader too slow"
    }
  }

  /// The HTTP status that goes with it, unless the one who refuses knows a better one.
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
