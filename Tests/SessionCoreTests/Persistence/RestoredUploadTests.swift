import Testing
import Wire

@testable import SessionCore

@Suite("P4: uploads after their session was loaded from disk")
struct RestoredUploadTests {
  struct Case: CustomTestStringConvertible {
    var isResumable = true
    var size: UInt64?
    var digest: String?
    var received: UInt64?
    var isPlaced = false
    var action: RestoredUpload.Action

    var testDescription: String { "\(action), \(received ?? 0) of \(size ?? 0) bytes" }
  }

  @Test(
    "S64 a restored upload is finished, moved to its final folder, resumed or removed, depending on its record and file",
    arguments: [
      Case(digest: "d", isPlaced: true, action: .finish),
      Case(isResumable: false, digest: "d", received: 5, action: .place),
      Case(digest: "d", action: .remove),
      Case(size: 5, received: 5, action: .place),
      Case(isResumable: false, size: 5, received: 5, action: .remove),
      Case(size: 5, received: 4, action: .resume(at: 4)),
      Case(received: 4, action: .resume(at: 4)),
      Case(size: 5, action: .resume(at: 0)),
      Case(isResumable: false, size: 5, received: 4, action: .remove),
    ])
  func action(_ item: Case) {
    let upload = RestoredUpload(
      id: EntryKey(high: 1, low: 1).uuid, file: EntryKey(high: 1, low: 2).uuid,
      isResumable: item.isResumable, size: item.size, digest: item.digest)
    #expect(upload.action(received: item.received, isPlaced: item.isPlaced) == item.action)
  }
}
