internal import Primitives

/// Decides when certificate and key are read again, and when a failure is logged. Does not access files or clocks.
///
/// The two files are replaced one after the other, and a file is not written in one step. So files that are still changing are
/// not read. An unusable pair is tried again at each check, and is logged as an error only if it stays unusable.
struct CertificateWatch: Sendable {
  /// The time for which a pair may be unusable before the failure is logged.
  static let retryTime = Duration.seconds(5)

  /// The file versions of the pair in use.
  private var current: CertificateSource.Versions
  /// The file versions at the last check.
  private var seen: CertificateSource.Versions
  private var failure: Failure?

  private struct Failure {
    let since: MonotonicTime
    /// The last logged reason.
    var loggedReason: String?
  }

  /// Creates the watch of a pair that is in use.
  init(inForce versions: CertificateSource.Versions) {
    current = versions
    seen = versions
  }

  /// Compares the files with those of the last check.
  ///
  /// - Returns: true if the files should be read now.
  mutating func check(_ versions: CertificateSource.Versions) -> Bool {
    defer { seen = versions }
    guard versions != current || failure?.loggedReason != nil else {
      failure = nil
      return false
    }
    return versions == seen
  }

  /// Records a pair that was read and is now in use.
  ///
  /// - Returns: true if a failure was logged before.
  mutating func didRead(_ versions: CertificateSource.Versions) -> Bool {
    defer { failure = nil }
    current = versions
    seen = versions
    return failure?.loggedReason != nil
  }

  /// Records a pair that cannot be used.
  ///
  /// - Parameters:
  ///   - reason: the reason as text.
  ///   - now: the time.
  ///   - isRequested: true if the operator requested the read and waits for the result.
  /// - Returns: true if the reason is to be logged: once for each reason, and for each request.
  mutating func didFail(_ reason: String, now: MonotonicTime, isRequested: Bool = false) -> Bool {
    var failure = failure ?? Failure(since: now)
    defer { self.failure = failure }
    let isDue = now - failure.since >= Self.retryTime && failure.loggedReason != reason
    guard isRequested || isDue else { return false }
    failure.loggedReason = reason
    return true
  }
}
