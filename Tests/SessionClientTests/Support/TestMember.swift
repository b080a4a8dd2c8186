import Platform
import Wire

@testable import SessionClient

/// A membership and its recorded events.
struct TestMember: Sendable {
  let events = EventRecorder()
  let membership: Membership

  /// Joins, and waits for the end of the catch-up unless `waits` is false.
  init(
    _ session: SessionID, at gateway: GatewayAddress, name: String? = nil,
    times: ConnectionTimeouts = ConnectionTimeouts(),
    waits: Bool = true
  ) throws {
    membership = Membership(
      in: session, at: gateway, profile: Profile(name: name), times: times, observer: events.observer)
    membership.join()
    if waits { try events.wait(for: "the end of the catch-up") { $0.caughtUps > 0 } }
  }

  /// Sends a message with a text as its payload.
  func send(_ text: String, type: String = "Test") throws {
    try membership.send(OutgoingEntry(type: type, payload: Array(text.utf8)))
  }

  /// Sends a message that the gateway retains, so that later snapshots contain it.
  func sendKept(_ text: String, key: EntryKey = EntryKey(high: 1, low: 1)) throws {
    try membership.send(
      OutgoingEntry(type: "Kept", payload: Array(text.utf8), retention: .append, key: key))
  }

  /// The participant's number.
  var number: ParticipantNumber { events.recorded.joins.last?.participant.number ?? 0 }

  /// Leaves, and waits for the end of the membership.
  func leave() async {
    membership.leave()
    await membership.finish()
  }
}

extension EventRecorder.Record {
  /// Returns the messages of a participant as texts.
  func texts(from number: ParticipantNumber) -> [String] {
    messages.filter { $0.from == number }.map { String(decoding: $0.payload, as: UTF8.self) }
  }
}
