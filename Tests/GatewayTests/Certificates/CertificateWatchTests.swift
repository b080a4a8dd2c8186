import Testing
import Primitives

@testable import Gateway

/// The rules for reading files again and for logging failures. The tests use no real files and no clock.
@Suite("CertificateWatch decides when certificate files are read again, and which failures are logged")
struct CertificateWatchTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  /// The versions of files with these texts; an empty text means that there is no file.
  private func versions(_ certificate: String, _ key: String) -> CertificateSource.Versions {
    CertificateSource.Versions(certificate: version(certificate), key: version(key))
  }

  private func version(_ content: String) -> FileVersion? {
    content.isEmpty
      ? nil : FileVersion(device: 1, inode: 2, length: Int64(content.utf8.count), modified: 3, changed: 4)
  }

  @Test(
    "Certificate files are read once after a change, and only when two successive checks find the same versions"
  )
  func settles() {
    let old = versions("certificate", "key")
    let watch = Watched(inForce: old)
    #expect(!watch.check(old))
    let half = versions("half", "key")
    let whole = versions("half and the rest", "another key")
    #expect(!watch.check(half))
    #expect(!watch.check(whole))
    #expect(watch.check(whole))
    watch.didRead(whole)
    #expect(!watch.check(whole))
  }

  @Test(
    "An unusable pair of files is read again at each check, and is logged once per reason, first after 5 s")
  func patience() {
    let old = versions("certificate", "key")
    let bad = versions("other certificate", "key")
    let watch = Watched(inForce: old)
    #expect(!watch.check(bad))
    for second in 0..<20 {
      #expect(watch.check(bad))
      #expect(watch.didFail("no pair", now: start + .seconds(second)) == (second == 5))
    }
    #expect(watch.didFail("no file", now: start + .seconds(21)))
    #expect(!watch.didFail("no file", now: start + .seconds(22)))
  }

  @Test("A pair of files that becomes usable within the waiting time is never logged as a failure")
  func lateKey() {
    let watch = Watched(inForce: versions("certificate", "key"))
    let between = versions("new certificate", "key")
    #expect(!watch.check(between))
    #expect(watch.check(between))
    #expect(!watch.didFail("no pair", now: start))
    let both = versions("new certificate", "new key")
    #expect(!watch.check(both))
    #expect(watch.check(both))
    watch.didRead(both)
    let later = versions("newest certificate", "new key")
    #expect(!watch.check(later))
    #expect(watch.check(later))
    #expect(!watch.didFail("no pair", now: start + .seconds(86_400)), "the waiting time begins again")
  }

  @Test(
    "Each failure of a requested reload is logged; when the old files are restored, they are read again"
  )
  func answers() {
    let old = versions("certificate", "key")
    let missing = versions("", "key")
    let watch = Watched(inForce: old)
    #expect(watch.didFail("no file", now: start, isRequested: true))
    #expect(watch.didFail("no file", now: start, isRequested: true))
    #expect(!watch.didFail("no file", now: start + .seconds(60)))
    // After a logged failure, `check` requests a read even of unchanged files, so that the end of the failure is logged too.
    #expect(watch.check(old))
    #expect(watch.didRead(old))
    #expect(!watch.check(old))
    #expect(!watch.check(missing))
    #expect(watch.check(missing))
    #expect(!watch.didFail("no file", now: start + .seconds(61)))
    #expect(watch.didFail("no file", now: start + .seconds(66)))
  }

  /// A class with a `CertificateWatch`, so that expectations can call the mutating functions of the watch.
  private final class Watched {
    private var watch: CertificateWatch

    init(inForce versions: CertificateSource.Versions) {
      watch = CertificateWatch(inForce: versions)
    }

    func check(_ versions: CertificateSource.Versions) -> Bool { watch.check(versions) }
    @discardableResult
    func didRead(_ versions: CertificateSource.Versions) -> Bool { watch.didRead(versions) }
    func didFail(_ reason: String, now: MonotonicTime, isRequested: Bool = false) -> Bool {
      watch.didFail(reason, now: now, isRequested: isRequested)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let lifetimeDays, atDay: Double
    let expected: CertificateValidity
    var testDescription: String { "\(lifetimeDays) days, on day \(atDay)" }
    init(_ lifetimeDays: Double, _ atDay: Double, _ validity: CertificateValidity) {
      (self.lifetimeDays, self.atDay, expected) = (lifetimeDays, atDay, validity)
    }
  }

  @Test(
    "A certificate counts as expiring in its last 14 days, but a short-lived certificate only in its last third",
    arguments: [
      Case(90, 0, .valid), Case(90, 75.9, .valid), Case(90, 76.1, .expiring), Case(90, 89.9, .expiring),
      Case(90, 90, .expiring), Case(90, 90.1, .expired), Case(90, -0.1, .notYetValid), Case(6, 3.9, .valid),
      Case(6, 4.1, .expiring), Case(15, 0.9, .valid), Case(15, 1.1, .expiring), Case(0, 0.1, .expired),
      Case(2_900_000, 1, .valid),
    ])
  func validity(_ given: Case) {
    let begin: Int64 = 1_800_000_000
    let seconds = { (days: Double) in begin + Int64(days * 86_400) }
    let validity = CertificateValidity(
      notBefore: begin, notAfter: seconds(given.lifetimeDays),
      now: WallTime(secondsSince1970: seconds(given.atDay)))
    #expect(validity == given.expected)
  }
}
