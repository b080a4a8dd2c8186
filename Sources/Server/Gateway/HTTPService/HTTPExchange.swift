internal import HTTP
internal import Wire

/// A request that is being read or answered.
struct HTTPExchange {
  /// The way in which the request is answered, decided when its head was read.
  enum Plan {
    case answer(Answer)
    /// Creates a session, or the successor of a session, as the body describes.
    case createSession
    /// Describes or ends a session.
    case session(SessionID)
    /// Answers a request that refers to one attachment or all attachments of a session, and has no body.
    case attachments(AttachmentRequest, SessionID)
    /// Answers a request for the history of a session.
    case history(HistoryRequest, SessionID)
    /// Answers with the metrics, which another thread renders.
    case metrics
    /// Writes the body to a file while the body arrives.
    case upload(Upload)
  }

  let head: RequestHead
  let route: Route
  let client: ForwardedClient
  let plan: Plan
  var body: [UInt8] = []
}

/// An answer, and its body if the body is produced while it is sent.
struct HTTPResponse {
  /// A part of the output of a connection.
  enum Output {
    /// A range of an array. Other connections may share the array.
    case bytes([UInt8], Range<Int>)
    case file(FileTransfer)
    case list(AttachmentListBody)
  }

  let answer: Answer
  var body: Output?
}
