import Platform
import Wire

@testable import SessionClient

/// A membership and what it was told.
struct TestMember: Sendable {
  let events = EventRecorder()
  let membership: Membership

  /// Joins, and waits until it is caught up unless told not to.
  init(
    _ session: SessionID, at gateway: GatewayAddress, name: String? = nil,
    times: ConnectionTimeouts = ConnectionTimeouts(),
    waits: Bool = true
  ) throws {
    membership = Membership(
      in: session, at: gateway, profile: Profile(name: name), times: times, observer: events.observer)
    membership.join()
    if waits { try events.wait(for: "being caught up") { $0.caughtUps > 0 } }
  }

  /// Sends a message whose payload is a text.
  func send(_ text: String, type: String = "Test") throws {
    try membership.send(OutgoingEntry(type: type, payload: Array(text.utf8)))
  }

  /// Sends a message that the session keeps: whoever is caught up by a snapshot is told it too.
  func sendKept(_ text: String, key: EntryKey = EntryKey(high: 1, low: 1)) throws {
    try membership.send(
      OutgoingEntry(type: "Kept", payload: Array(text.utf8), retention: .append, key: key))
  }

  /// Who it is.
  var number: ParticipantNumber { events.now.joins.last?.participant.number ?? 0 }

  /// Leaves, and waits until nothing more comes of it.
  func leave() async {
    membership.leave()
    await membership.finish()
  }
}

extension EventRecorder.Record {
  /// What somebody said, as texts.
  func texts(from number: ParticipantNumber) -> [String] {
    messages.filter { $0.from == number }.map { String(decoding: $0.payload, as: UTF8.self) }
  }
}
