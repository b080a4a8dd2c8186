/// The time limits of requests.
struct RequestTimeouts: Sendable {
  /// The time limit for connecting, including the TLS handshake, for all addresses of the host together.
  var connect = Duration.seconds(10)
  /// The time limit for the head of the response, counted from the end of the request.
  var response = Duration.seconds(30)
  /// The time in which `stallBytes` of a body must be transferred.
  var stall = Duration.seconds(20)
  /// The number of bytes of a body that must be transferred in the time `stall`: 200 per second, which even a very slow line
  /// reaches.
  var stallBytes = 4_096
  /// The time limit for a readiness check.
  var readiness = Duration.seconds(2)

  /// The time for which a request is repeated if no other time is set for it. It applies to requests that transfer no file.
  var shortRetry = Duration.seconds(3)
  /// The time for which the creation of an upload is repeated.
  var creationRetry = Duration.seconds(30)
  /// The time for which a download is retried without receiving a new byte.
  var downloadRetry = Duration.seconds(60)
  /// The time for which an upload is retried without progress: the default of the gateway's `uploadKeepSeconds`.
  var uploadRetry = Duration.seconds(86_400)

  /// The delay before the second repetition without progress; the first repetition is immediate. The delay doubles with each
  /// further repetition.
  var firstRetryDelay = Duration.milliseconds(100)
  /// The maximum delay before an attempt.
  var maximumRetryDelay = Duration.seconds(10)
}
