/// How long requests wait for what.
struct RequestTimeouts: Sendable {
  /// For a connection, over all addresses of the host and with TLS.
  var connect = Duration.seconds(10)
  /// For the head of an answer, once the request is sent.
  var response = Duration.seconds(30)
  /// For the next `stallBytes` of a content, or for room for as many.
  var stall = Duration.seconds(20)
  /// How many bytes have to pass in that time: 200 a second, which the slowest line has.
  var stallBytes = 4_096
  /// For whether a gateway is ready.
  var readiness = Duration.seconds(2)

  /// How long what is asked in a word is asked again.
  var shortRetry = Duration.seconds(3)
  /// How long an attachment is offered to a gateway that cannot be reached.
  var creationRetry = Duration.seconds(30)
  /// How long a download goes on without a new byte.
  var downloadRetry = Duration.seconds(60)
  /// How long an upload goes on without a new byte: the gateway's own `uploadKeepSeconds`.
  var uploadRetry = Duration.seconds(86_400)

  /// The pause before the second attempt without progress; it doubles with each.
  var firstRetryDelay = Duration.milliseconds(100)
  /// The longest pause.
  var maximumRetryDelay = Duration.seconds(10)
}
