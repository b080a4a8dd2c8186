internal import FoundationEssentials
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Wire

/// The side that began to close a WebSocket.
enum ClosedBy: String {
  /// Neither side: the connection broke.
  case nobody
  case peer
  case gateway
}

/// The session, participant and address of an event. Values that are unknown are nil or 0.
struct EventSubject {
  var session: SessionID?
  /// The number of the participant. Before the peer joins: 0, which is no participant's number.
  var participant: ParticipantNumber = 0
  var address: IPAddress?
}

/// An event that peers can cause at any rate. `GatewayLogger` counts every event, but logs only as many as the event's budget
/// allows.
enum PeerEvent {
  /// The kind of a refused input.
  enum Input: String {
    case connection
    case request
    case upload
    case entry
    case control
  }

  /// The end of a WebSocket.
  struct SocketClose {
    var subject: EventSubject
    /// The close code; 1006 when the connection broke (RFC 6455 §7.1.5).
    var code: UInt16
    /// The reason for the close, as one word.
    var reason: String
    /// The side that began the close.
    var closedBy: ClosedBy
    /// The way in which the TCP connection ended, such as `closed` or `no answer to the close frame`.
    var end: String
    var socket: Socket
    /// The time from the moment when the peer could first join until the WebSocket ended.
    var duration: Duration
  }

  /// The fields that identify an upload in its log lines.
  struct Upload {
    var session: SessionID
    var attachment: UUID?
    var address: IPAddress?
  }

  case refused(Input, ErrorCode, EventSubject)
  /// A connection was refused, because a limit on connections was reached.
  case connectionRefused(Refusal, from: IPAddress)
  /// A connection could not be accepted, because the system reported an error.
  case connectionNotTaken(Log.Level, SystemError)
  case acceptingPaused(SystemError)
  case connectionClosed(IPAddress, reason: String)
  case socketClosed(SocketClose)
  case joined(EventSubject, sequence: UInt64)
  /// A participant resumed the session, and had missed `missed` entries.
  case resumed(EventSubject, JoinKind, missed: UInt64)
  case left(EventSubject, reason: StaticString)
  /// A returning client reports more entries of its own than the gateway has stored, for example after a power cut.
  case clientAhead(EventSubject, from: UInt32, to: UInt32)
  case uploadStarted(Upload, size: UInt64?)
  case uploadResumed(Upload, offset: UInt64, size: UInt64?)
  case uploadCut(Upload, UploadCut, received: UInt64, isResumable: Bool)
  case uploadFailed(Upload, ErrorCode, received: UInt64)
  case uploadCompleted(Upload, bytes: UInt64)
  case attachmentRemoved(Upload, by: ParticipantNumber)

  /// Returns the event of a join. A participant that resumes with a `tail` has missed the entries after sequence `after`.
  static func join(
    _ subject: EventSubject, _ kind: JoinKind, sequence: UInt64, after: UInt64?
  ) -> PeerEvent {
    switch kind {
    case .new: .joined(subject, sequence: sequence)
    case .tail: .resumed(subject, kind, missed: sequence - min(sequence, after ?? 0))
    case .snapshot: .resumed(subject, kind, missed: sequence)
    }
  }

  /// A limit on the number of log lines of one or several kinds of events. The numbers of omitted lines are reported in the order
  /// of these cases.
  enum Budget: Int, CaseIterable {
    case refusal
    case connectionRefusal
    /// Closed WebSockets of peers that never joined.
    case unjoinedClose
    /// Participants who join, resume or leave. All participants of a gateway may do so at the same time, so a burst may have many
    /// lines. They may do so repeatedly, so the rate is limited.
    case participant
    /// Closed WebSockets of participants.
    case close
    case upload
    case clientAhead
    /// System errors while accepting connections. An error may recur with each attempt.
    case accept

    /// The number of lines per second, and the number of lines in a burst.
    var rate: TokenBucket.Rate {
      switch self {
      case .refusal, .connectionRefusal, .clientAhead: TokenBucket.Rate(tokensPerSecond: 5, capacity: 20)
      case .unjoinedClose, .upload: TokenBucket.Rate(tokensPerSecond: 50, capacity: 1000)
      case .participant, .close: TokenBucket.Rate(tokensPerSecond: 50, capacity: 20_000)
      case .accept: TokenBucket.Rate(tokensPerSecond: 1, capacity: 20)
      }
    }

    /// The name of the events with this budget, in the log line that reports omitted lines.
    var name: StaticString {
      switch self {
      case .refusal: "refused"
      case .connectionRefusal: "connection refused"
      case .unjoinedClose, .close: "socket closed"
      case .participant: "participant joined or left"
      case .upload: "upload"
      case .clientAhead: "client is ahead"
      case .accept: "connection not taken"
      }
    }
  }

  /// The budget of the event's log line; nil if this line has the level `debug`, for which there is no limit.
  var budget: Budget? {
    switch self {
    case .refused, .uploadFailed: .refusal
    case .connectionRefused: .connectionRefusal
    case .connectionNotTaken, .acceptingPaused: .accept
    case .connectionClosed: nil
    case .socketClosed(let close): close.subject.participant == 0 ? .unjoinedClose : .close
    case .joined, .resumed, .left: .participant
    case .clientAhead: .clientAhead
    case .uploadStarted, .uploadResumed, .uploadCut, .uploadCompleted, .attachmentRemoved: .upload
    }
  }

  /// Increments the counters of this event, if it has any. `GatewayLogger` itself counts closed sockets, which are frequent.
  func count(in counters: inout Counters) {
    switch self {
    case .refused(_, let code, _):
      counters.refusals[code] += 1
    case .connectionRefused(let refusal, _):
      counters.connectionsRefused += 1
      counters.refusals[refusal.code] += 1
    case .uploadStarted:
      counters.uploadsStarted += 1
    case .uploadResumed:
      counters.uploadsStarted += 1
      counters.uploadsResumed += 1
    case .uploadCut(_, let cause, _, _):
      counters.uploadsCut[cause] += 1
    case .uploadFailed(_, let code, _):
      counters.refusals[code] += 1
      counters.uploadFailures[code] += 1
    case .uploadCompleted:
      counters.attachmentsAdded += 1
    case .connectionNotTaken, .acceptingPaused, .connectionClosed, .socketClosed, .joined, .resumed, .left,
      .clientAhead, .attachmentRemoved:
      break
    }
  }

  /// Writes the event's log line.
  func write(to log: Log) {
    switch self {
    case .refused(let input, let code, let subject):
      log(
        .info, "refused",
        [
          "what": "\(input.rawValue)", "code": "\(code.rawValue)", "session": subject.sessionField,
          "participant": .number(subject.participant), "remote": .address(subject.address),
        ])
    case .connectionRefused(let refusal, let address):
      log(
        .warning, "connection refused",
        [
          "code": "\(refusal.code.rawValue)", "remote": .address(address),
          "limit": .number(refusal.limit ?? 0), "reason": "\(refusal.detail)",
        ])
    case .connectionNotTaken(let level, let error):
      log(level, "connection not taken", ["reason": "\(error)"])
    case .acceptingPaused(let error):
      log(.warning, "accepting paused", ["reason": "\(error)"])
    case .connectionClosed(let address, let reason):
      log(.debug, "connection closed", ["remote": .address(address), "reason": "\(reason)"])
    case .socketClosed(let close):
      write(close, to: log)
    case .joined(let subject, let sequence):
      log(
        .info, "participant joined",
        [
          "session": subject.sessionField, "participant": .number(subject.participant),
          "remote": .address(subject.address), "sequence": .number(sequence),
        ])
    case .resumed(let subject, let kind, let missed):
      log(
        .info, "participant resumed",
        [
          "session": subject.sessionField, "participant": .number(subject.participant),
          "remote": .address(subject.address), "kind": "\(kind.rawValue)", "missed": .number(missed),
        ])
    case .left(let subject, let reason):
      log(
        .info, "participant left",
        [
          "session": subject.sessionField, "participant": .number(subject.participant), "reason": "\(reason)",
        ])
    case .clientAhead(let subject, let from, let to):
      log(
        .warning, "client is ahead",
        [
          "session": subject.sessionField, "participant": .number(subject.participant), "from": .number(from),
          "to": .number(to),
        ])
    case .uploadStarted, .uploadResumed, .uploadCut, .uploadFailed, .uploadCompleted, .attachmentRemoved:
      writeUpload(to: log)
    }
  }

  private func write(_ close: SocketClose, to log: Log) {
    let traffic = close.socket.traffic
    log(
      .info, "socket closed",
      [
        "session": close.subject.sessionField, "participant": .number(close.subject.participant),
        "remote": .address(close.subject.address), "code": .number(close.code), "reason": "\(close.reason)",
        "by": "\(close.closedBy.rawValue)", "end": "\(close.end)",
        "received": .number(traffic?.received ?? 0),
        "sent": .number(traffic?.acknowledged ?? 0), "ms": .milliseconds(close.duration),
      ])
  }

  private func writeUpload(to log: Log) {
    switch self {
    case .uploadStarted(let upload, let size):
      log(
        .info, "upload started",
        [
          "session": .session(upload.session), "attachment": upload.attachmentField,
          "remote": .address(upload.address), "size": .number(size ?? 0),
        ])
    case .uploadResumed(let upload, let offset, let size):
      log(
        .info, "upload resumed",
        [
          "session": .session(upload.session), "attachment": upload.attachmentField,
          "remote": .address(upload.address), "offset": .number(offset), "size": .number(size ?? 0),
        ])
    case .uploadCut(let upload, let cause, let received, let isResumable):
      log(
        .info, "upload cut",
        [
          "session": .session(upload.session), "attachment": upload.attachmentField,
          "remote": .address(upload.address), "reason": "\(cause.rawValue)", "received": .number(received),
          "mayGoOn": .boolean(isResumable),
        ])
    case .uploadFailed(let upload, let code, let received):
      log(
        .info, "upload failed",
        [
          "session": .session(upload.session), "attachment": upload.attachmentField,
          "remote": .address(upload.address), "code": "\(code.rawValue)", "received": .number(received),
        ])
    case .uploadCompleted(let upload, let bytes):
      log(
        .info, "upload completed",
        ["session": .session(upload.session), "attachment": upload.attachmentField, "bytes": .number(bytes)])
    case .attachmentRemoved(let upload, let participant):
      log(
        .info, "attachment removed",
        [
          "session": .session(upload.session), "attachment": upload.attachmentField,
          "participant": .number(participant), "remote": .address(upload.address),
        ])
    case .refused, .connectionRefused, .connectionNotTaken, .acceptingPaused, .connectionClosed,
      .socketClosed,
      .joined, .resumed, .left, .clientAhead:
      break
    }
  }
}

extension EventSubject {
  fileprivate var sessionField: LogValue { "\(session.map { "\($0)" } ?? "")" }
}

extension PeerEvent.Upload {
  fileprivate var attachmentField: LogValue { "\(attachment.map { "\($0)" } ?? "")" }
}
