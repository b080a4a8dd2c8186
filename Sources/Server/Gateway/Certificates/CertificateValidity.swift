package import Primitives

/// Whether a certificate is valid, and for how long still.
package enum CertificateAge: Equatable, Sendable {
  case valid
  case notYetValid
  case ending
  case ended

  /// From how long before its end it counts as ending.
  private static let noticeSeconds: Int64 = 14 * 86_400

  /// - Parameters:
  ///   - notBefore: when it begins, in seconds since 1970.
  ///   - notAfter: when it ends, likewise.
  ///   - now: the time to judge it at.
  package init(notBefore: Int64, notAfter: Int64, now: WallTime) {
    let now = now.secondsSince1970
    let left = notAfter - now
    // Some are made for a few days only, and replaced when half of them are over: theirs is the last third.
    let lifetime = max(0, notAfter - notBefore)
    let notice = lifetime <= Self.noticeSeconds ? lifetime / 3 : Self.noticeSeconds
    if left < 0 {
      self = .ended
    } else if now < notBefore {
      self = .notYetValid
    } else if left <= notice {
      self = .ending
    } else {
      self = .valid
    }
  }
}
