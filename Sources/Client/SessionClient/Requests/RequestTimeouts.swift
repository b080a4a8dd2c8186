/// The time limits of requests.
struct RequestTimeouts: Sendable {
  /// The time to connect, over all addresses of the host and with TLS.
  var connect = Duration.seconds(10)
  /// The time for the head of the response, after the request was sent.
  var response = Duration.seconds(30)
  /// The time in which `stallBytes` of a body must be transferred.
  var stall = Duration.seconds(20)
  /// The number of bytes that must be transferred in that time: 200 a second, which even a very slow line reaches.
  var stallBytes = 4_096
  /// The time for a readiness check.
  var readiness = Duration.seconds(2)

  /// The time for which a short request is repeated.
  var shortRetry = Duration.seconds(3)
  /// The time for which the creation of an upload is repeated.
  var creationRetry = Duration.seconds(30)
  /// The time for which a download continues without a new byte.
  var downloadRetry = Duration.seconds(60)
  /// The time for which an upload continues without a new byte: the gateway's own `uploadKeepSeconds`.
  var uploadRetry = Duration.seconds(86_400)

  /// The delay before the second attempt without progress. It doubles with each attempt.
  var firstRetryDelay = Duration.milliseconds(100)
  /// The maximum delay.
  var maximumRetryDelay = Duration.seconds(10)
}
