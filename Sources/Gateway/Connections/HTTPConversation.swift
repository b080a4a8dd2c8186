internal import HTTP
internal import Wire

/// A connection that speaks HTTP: one request at a time, the next one waits in the kernel.
final class HTTPConversation {
  /// The request that is being read or answered.
  struct Exchange {
    let head: RequestHead
    let plan: Plan
    var body: [UInt8] = []
  }

  /// What will be done once the request has been read to its end.
  enum Plan {
    case answer(Answer)
    /// The body is wanted first.
    case createSession
    /// The reactor that owns the session answers.
    case askOwner(SessionID)
  }

  /// A part of what is to be sent: a range of an array that others may be sent too.
  struct Output {
    let bytes: [UInt8]
    var range: Range<Int>
  }

  var reader: RequestReader
  var exchange: Exchange?
  /// Another reactor makes the answer.
  var awaitsAnswer = false
  var output: [Output] = []
  /// After what is in `output`, the connection is closed.
  var closesAfterOutput = false

  init(limits: RequestLimits) {
    reader = RequestReader(limits: limits)
  }

  /// Nothing more is read until the present answer is with the kernel.
  var isBusy: Bool { awaitsAnswer || !output.isEmpty || closesAfterOutput }
}
