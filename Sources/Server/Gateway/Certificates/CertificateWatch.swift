internal import Primitives

/// Decides when the files of certificate and key are read again, and when a failed read is logged. Accesses no files or clocks.
///
/// An operator replaces the two files one after the other, and a write of a file is not atomic. Therefore, files that have
/// changed since the last check are not read yet. An unusable pair of files is read again at each check, and the failure is
/// logged only if the pair stays unusable.
struct CertificateWatch: Sendable {
  /// The time for which certificate and key may be unusable before the failure is logged.
  static let retryTime = Duration.seconds(5)

  /// The file versions of the pair in use.
  private var current: CertificateSource.Versions
  /// The file versions at the last check.
  private var seen: CertificateSource.Versions
  private var failure: Failure?

  private struct Failure {
    let since: MonotonicTime
    /// The reason that was logged last; nil if no reason was logged.
    var loggedReason: String?
  }

  /// Creates a watch for the certificate and key that are in use. `versions` are the versions of their files.
  init(inForce versions: CertificateSource.Versions) {
    current = versions
    seen = versions
  }

  /// Compares the present file versions with the versions in use, and with the versions at the last check.
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

  /// Records that the files were read and that their certificate and key are now in use.
  ///
  /// - Returns: true if a failure was logged since the previous successful read.
  mutating func didRead(_ versions: CertificateSource.Versions) -> Bool {
    defer { failure = nil }
    current = versions
    seen = versions
    return failure?.loggedReason != nil
  }

  /// Records that the certificate and key in the files cannot be used.
  ///
  /// - Parameters:
  ///   - reason: the reason as text.
  ///   - now: the time.
  ///   - isRequested: true if the operator requested the read and waits for the result.
  /// - Returns: true if the caller must log the reason: always on the operator's request, otherwise once per reason.
  mutating func didFail(_ reason: String, now: MonotonicTime, isRequested: Bool = false) -> Bool {
    var failure = failure ?? Failure(since: now)
    defer { self.failure = failure }
    let isDue = now - failure.since >= Self.retryTime && failure.loggedReason != reason
    guard isRequested || isDue else { return false }
    failure.loggedReason = reason
    return true
  }
}
