import CoreTransferable
import FoundationEssentials
import SessionClient
import Testing
import Wire

@testable import GroupActivities

@Suite("Errors describe themselves in words")
struct ErrorDescriptionTests {
  /// `localizedDescription` is derived from `errorDescription`.
  @Test(
    "the errors of this library describe themselves in their `localizedDescription`",
    arguments: [
      GroupSessionMessenger.SendError.tooLarge(limit: 262_144, actual: 300_000),
      GroupSessionInvalidation.left, GroupSessionJournal.JournalError.tooLarge(limit: 100, actual: 101),
      GroupActivitiesGateway.ConnectionError.badAddress("it has no host"),
      TransferError.notExported(type: "Picture"),
    ] as [any LocalizedError])
  func words(_ error: any LocalizedError) {
    #expect(error.errorDescription == "\(error)")
    #expect(error.errorDescription?.contains(" ") == true)
  }

  @Test("a damaged attachment is reported as JournalError.damaged")
  func damagedAttachment() {
    var refusal = Refusal(.internal, "It is damaged.")
    let other = GroupSessionJournal.JournalError(.refused(refusal))
    #expect(other == .refused(code: "internal", detail: "It is damaged."))
    refusal.damaged = true
    #expect(GroupSessionJournal.JournalError(.refused(refusal)) == .damaged)
  }
}
