package import Primitives

/// The validity of a certificate at a given time.
package enum CertificateValidity: Equatable, Sendable {
  case valid
  case notYetValid
  case expiring
  case expired

  /// The maximum number of seconds for which a certificate counts as expiring before its validity period ends.
  private static let noticeSeconds: Int64 = 14 * 86_400

  /// Determines the validity of a certificate at a given time.
  ///
  /// - Parameters:
  ///   - notBefore: the beginning of the period, in seconds since 1970.
  ///   - notAfter: the end of the period, in seconds since 1970.
  ///   - now: the time to compare with the period.
  package init(notBefore: Int64, notAfter: Int64, now: WallTime) {
    let now = now.secondsSince1970
    let left = notAfter - now
    // Short-lived certificates are issued for a few days and replaced after half of their lifetime. They count as expiring in the
    // last third of their lifetime.
    let lifetime = max(0, notAfter - notBefore)
    let notice = lifetime <= Self.noticeSeconds ? lifetime / 3 : Self.noticeSeconds
    if left < 0 {
      self = .expired
    } else if now < notBefore {
      self = .notYetValid
    } else if left <= notice {
      self = .expiring
    } else {
      self = .valid
    }
  }
}
