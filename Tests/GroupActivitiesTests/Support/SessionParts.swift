import FoundationEssentials
import SessionClient
import Testing
import Wire

@testable import GroupActivities

/// Creates the coordinator of a session on a gateway that does not exist.
func makeCoordinator() throws -> SessionCoordinator {
  let link = try SessionLink(try #require(URL(string: "http://127.0.0.1:9/s/AAAAAAAAAAAAAAAAAAAAAA")))
  let object = SessionObject(
    id: link.session, link: "/s/AAAAAAAAAAAAAAAAAAAAAA", activity: .standard, createdAt: Date(),
    participants: 0, sequence: 0)
  return SessionCoordinator(object, at: link.gateway, isLocallyInitiated: false)
}

/// Creates a reliable entry whose sender has the participant number 7.
func makeEntry(
  _ text: String, type: String, retention: Retention, _ number: UInt32, isRepeat: Bool = false
) -> ReceivedEntry {
  var flags: EntryFlags = [.reliable]
  flags.retention = retention
  return ReceivedEntry(
    source: Wire.Participant(id: UUID(), number: 7, name: "Ada", color: "#000000"), isMine: false,
    type: type,
    payload: Array(text.utf8), flags: flags, key: EntryKey(high: 1, low: UInt64(number)),
    sequence: UInt64(number), clientSequence: number, isRepeat: isRepeat)
}
