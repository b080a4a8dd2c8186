internal import Primitives

/// Decides when certificate and key are read again, and when their operator hears that they cannot be used. Knows no file
/// and no clock.
///
/// The two are replaced one after the other, and a file is not written at once. So nothing is read that still changes;
/// what cannot be used is tried again at each look, and is an error only when it stays so.
struct CertificateWatch: Sendable {
  /// How long a pair may not fit before that is told.
  static let patience = Duration.seconds(5)

  /// As they were when the pair in force was read.
  private var taken: CertificateSource.Marks
  private var seen: CertificateSource.Marks
  private var failure: Failure?

  private struct Failure {
    let since: MonotonicTime
    /// The reason that the operator heard last.
    var told: String?
  }

  /// Begins with a pair that is in force.
  init(taken marks: CertificateSource.Marks) {
    taken = marks
    seen = marks
  }

  /// Looks at the files.
  ///
  /// - Returns: whether they should be read now.
  mutating func look(at marks: CertificateSource.Marks) -> Bool {
    defer { seen = marks }
    guard marks != taken || failure?.told != nil else {
      failure = nil
      return false
    }
    return marks == seen
  }

  /// What was read is in force.
  ///
  /// - Returns: whether the operator was told before that it could not be.
  mutating func took(_ marks: CertificateSource.Marks) -> Bool {
    defer { failure = nil }
    taken = marks
    seen = marks
    return failure?.told != nil
  }

  /// What was read is of no use.
  ///
  /// - Parameters:
  ///   - reason: why, in words.
  ///   - now: the time.
  ///   - asked: somebody waits for an answer, so he gets it at once.
  /// - Returns: whether it is to be told: once for each reason.
  mutating func failed(_ reason: String, now: MonotonicTime, asked: Bool = false) -> Bool {
    var current = failure ?? Failure(since: now)
    defer { failure = current }
    guard asked || now - current.since >= Self.patience, asked || current.told != reason else { return false }
    current.told = reason
    return true
  }
}
