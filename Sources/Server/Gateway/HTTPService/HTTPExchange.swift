internal import HTTP
internal import Wire

/// A request that is being read or answered.
struct HTTPExchange {
  /// The work that follows when the request was read completely.
  enum Plan {
    case answer(Answer)
    /// Work that needs the whole body.
    case createSession
    /// Describes or ends a session.
    case session(SessionID)
    /// A request without a body for the attachments of a session.
    case attachments(AttachmentRequest, SessionID)
    /// A request for the metrics, which another thread renders.
    case metrics
    /// A request whose body is written to a file while it arrives.
    case upload(Upload)
  }

  let head: RequestHead
  let route: Route
  let client: ForwardedClient
  let plan: Plan
  var body: [UInt8] = []
}

/// An answer, and the part of its body that is produced while it is sent.
struct HTTPResponse {
  /// A part of the bytes to send.
  enum Output {
    /// A range of an array that other connections may share.
    case bytes([UInt8], Range<Int>)
    case file(FileTransfer)
    case list(AttachmentListBody)
  }

  let answer: Answer
  var body: Output?
}
