import CoreTransferable
import FoundationEssentials
import GroupActivities
import Testing

@Suite("Errors in words")
struct ErrorDescriptionTests {
  /// `localizedDescription` is made of that, and it is what a program shows people.
  @Test(
    "what a program shows people says what is wrong",
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
}
