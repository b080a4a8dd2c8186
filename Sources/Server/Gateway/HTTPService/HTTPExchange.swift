internal import HTTP
internal import Wire

/// A request that is being read or answered.
struct HTTPExchange {
  /// The work that follows once the request is read to its end.
  enum Plan {
    case answer(Answer)
    /// The body is read first.
    case createSession
    /// Describes or ends a session.
    case session(SessionID)
    /// A request without a body for the attachments of a session.
    case attachments(AttachmentRequest, SessionID)
    /// The metrics, which are made on a thread of their own.
    case metrics
    /// Writes the body to a file while it arrives.
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
  /// A part of the bytes that are to be sent.
  enum Output {
    /// A range of an array that other connections may share.
    case bytes([UInt8], Range<Int>)
    case file(FileTransfer)
    case list(AttachmentListBody)
  }

  let answer: Answer
  var body: Output?
}
