import Storage
import Testing
import Wire

@testable import Gateway

/// What is known of the files of a session's attachments, without files.
@Suite("Checks of contents")
struct ContentChecksTests {
  private let digest = String(repeating: "a", count: 64)

  private func isIntact(_ checks: ContentChecks) -> Bool {
    if case .intact = checks.state(of: digest) { true } else { false }
  }

  @Test("A content is intact or damaged from its check on, and one that could not be read is checked again")
  func verdicts() {
    let checks = ContentChecks()
    #expect(checks.end(checks.begin(digest), of: digest, .intact) == .intact)
    #expect(isIntact(checks) && !checks.isDamaged(digest))
    checks.forget(digest)
    #expect(checks.end(checks.begin(digest), of: digest, .damaged) == .damaged)
    #expect(checks.isDamaged(digest))
    checks.forget(digest)
    let error = StorageError(.readContent, code: 5)
    #expect(checks.end(checks.begin(digest), of: digest, .unreadable(error)) == .unreadable(error))
    guard case .unchecked = checks.state(of: digest) else { return #expect(Bool(false), "it is unchecked") }
  }

  @Test("A file that is put in its place while the one before is read is what counts")
  func placedMeanwhile() {
    let checks = ContentChecks()
    let check = checks.begin(digest)
    checks.notePlaced(digest)
    #expect(checks.end(check, of: digest, .damaged) == .intact)
    #expect(isIntact(checks))
  }

  @Test("A new file of the same content takes a mark away")
  func placedAgain() {
    let checks = ContentChecks()
    #expect(checks.noteDamaged(digest))
    #expect(!checks.noteDamaged(digest))
    checks.notePlaced(digest)
    #expect(!checks.isDamaged(digest))
  }
}
