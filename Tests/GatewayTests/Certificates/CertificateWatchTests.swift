import Testing
import Primitives

@testable import Gateway

/// When the files are read again, and what is told: without a file system's pace, and without a clock.
@Suite("Watching certificate and key")
struct CertificateWatchTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  /// The marks of files with these contents; of an empty one, there is no file.
  private func marks(_ certificate: String, _ key: String) -> CertificateSource.Marks {
    CertificateSource.Marks(certificate: mark(certificate), key: mark(key))
  }

  private func mark(_ content: String) -> FileMark? {
    content.isEmpty
      ? nil : FileMark(device: 1, inode: 2, length: Int64(content.utf8.count), modified: 3, changed: 4)
  }

  @Test("What rests is read once, what still changes is not")
  func settles() {
    let old = marks("certificate", "key")
    let watch = Watched(taken: old)
    #expect(!watch.look(at: old))
    let half = marks("half", "key")
    let whole = marks("half and the rest", "another key")
    #expect(!watch.look(at: half))
    #expect(!watch.look(at: whole))
    #expect(watch.look(at: whole))
    watch.took(whole)
    #expect(!watch.look(at: whole))
  }

  @Test("What cannot be used is tried again at each look, and told once, when it has stayed so for a while")
  func patience() {
    let old = marks("certificate", "key")
    let bad = marks("other certificate", "key")
    let watch = Watched(taken: old)
    #expect(!watch.look(at: bad))
    for second in 0..<20 {
      #expect(watch.look(at: bad))
      #expect(watch.failed("no pair", now: start + .seconds(second)) == (second == 5))
    }
    #expect(watch.failed("no file", now: start + .seconds(21)))
    #expect(!watch.failed("no file", now: start + .seconds(22)))
  }

  @Test("A pair that fits after all is never told as an error")
  func lateKey() {
    let watch = Watched(taken: marks("certificate", "key"))
    let between = marks("new certificate", "key")
    #expect(!watch.look(at: between))
    #expect(watch.look(at: between))
    #expect(!watch.failed("no pair", now: start))
    let both = marks("new certificate", "new key")
    #expect(!watch.look(at: both))
    #expect(watch.look(at: both))
    watch.took(both)
    let later = marks("newest certificate", "new key")
    #expect(!watch.look(at: later))
    #expect(watch.look(at: later))
    #expect(!watch.failed("no pair", now: start + .seconds(86_400)), "patience begins anew")
  }

  @Test("Who puts the old files back ends the trouble; who asks is answered at once, each time")
  func answers() {
    let old = marks("certificate", "key")
    let missing = marks("", "key")
    let watch = Watched(taken: old)
    #expect(watch.failed("no file", now: start, asked: true))
    #expect(watch.failed("no file", now: start, asked: true))
    #expect(!watch.failed("no file", now: start + .seconds(60)))
    // Read once more, so that who was told of the trouble hears that it is over.
    #expect(watch.look(at: old))
    #expect(watch.took(old))
    #expect(!watch.look(at: old))
    #expect(!watch.look(at: missing))
    #expect(watch.look(at: missing))
    #expect(!watch.failed("no file", now: start + .seconds(61)))
    #expect(watch.failed("no file", now: start + .seconds(66)))
  }

  /// The watch, as something that `#expect` may ask.
  private final class Watched {
    private var watch: CertificateWatch

    init(taken marks: CertificateSource.Marks) {
      watch = CertificateWatch(taken: marks)
    }

    func look(at marks: CertificateSource.Marks) -> Bool { watch.look(at: marks) }
    @discardableResult
    func took(_ marks: CertificateSource.Marks) -> Bool { watch.took(marks) }
    func failed(_ reason: String, now: MonotonicTime, asked: Bool = false) -> Bool {
      watch.failed(reason, now: now, asked: asked)
    }
  }

  struct Age: Sendable, CustomTestStringConvertible {
    let lifetimeDays, atDay: Double
    let expected: CertificateAge
    var testDescription: String { "\(lifetimeDays) days, on day \(atDay)" }
    init(_ lifetimeDays: Double, _ atDay: Double, _ age: CertificateAge) {
      (self.lifetimeDays, self.atDay, expected) = (lifetimeDays, atDay, age)
    }
  }

  @Test(
    "A certificate ends in its last 14 days, one for less than that in its last third",
    arguments: [
      Age(90, 0, .valid), Age(90, 75.9, .valid), Age(90, 76.1, .ending), Age(90, 89.9, .ending),
      Age(90, 90, .ending), Age(90, 90.1, .ended), Age(90, -0.1, .notYetValid), Age(6, 3.9, .valid),
      Age(6, 4.1, .ending), Age(15, 0.9, .valid), Age(15, 1.1, .ending), Age(0, 0.1, .ended),
      Age(2_900_000, 1, .valid),
    ])
  func ages(_ given: Age) {
    let begin: Int64 = 1_800_000_000
    let seconds = { (days: Double) in begin + Int64(days * 86_400) }
    let age = CertificateAge(
      notBefore: begin, notAfter: seconds(given.lifetimeDays),
      now: WallTime(secondsSince1970: seconds(given.atDay)))
    #expect(age == given.expected)
  }
}
