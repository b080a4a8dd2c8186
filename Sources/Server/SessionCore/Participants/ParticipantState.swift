internal import Primitives
package import Wire

package import struct FoundationEssentials.UUID

/// A present, past or waiting participant of a session.
final class ParticipantState {
  enum Presence {
    /// The participant is connected, but has not joined.
    case waiting(Subscriber)
    case joined(Subscriber)
    /// The participant has disconnected, and its grace time is not over. The other participants are informed when the grace time
    /// is over.
    case away(until: MonotonicTime)
    /// Gone: the participant did not come back in time, or was never announced. Its token is still valid.
    case past
    /// Left: the participant gave up its token.
    case left
  }

  // There is one object per participant, so the properties are ordered to make the object small: where small values follow
  // optional ones, memory has few gaps.
  let id: UUID
  /// The digest of the token; nil while the participant waits.
  var digest: TokenDigest?
  /// True after the participant's first retained entry. From then on, a snapshot may contain entries of the participant.
  var hasRetained = false
  /// The number of consecutive refusals that the participant ignored, by sending its next entry before `retryAt`.
  var ignoredRefusals: UInt16 = 0
  /// The value of `acknowledged` on disk.
  var savedAcknowledged: UInt32 = 0
  var name: String
  var color: String
  var presence = Presence.past
  /// True after the refusal of an entry that the client has to send again: other reliable entries are dropped without an answer
  /// until that entry arrives.
  var isAwaitingDueEntry = false
  /// True while no `committed` message covers the participant's newest entries.
  var awaitsCommitted = false
  /// True when `acknowledged` has changed since the last save.
  var hasUnsaved = false
  /// The color that the participant requested last. `color` is a different color if the requested color looked like the color of
  /// another person.
  var requestedColor: RGBColor?
  let number: ParticipantNumber
  var retryAt: MonotonicTime?
  /// True when the gateway paused reading from the participant's socket after the last refusal. The pause delays the next entry.
  /// So an arrival after `retryAt` does not show that the participant itself waited.
  var wasPaused = false
  /// The highest client sequence that the session has received from this participant.
  var acknowledged: UInt32 = 0
  /// The sequence of the participant's newest entry.
  var lastSequence: UInt64 = 0
  /// The first sequence that the next `committed` message to the participant has to cover.
  var awaitsFrom: UInt64 = 0
  var rateLimiter: EntryRateLimiter

  init(
    id: UUID, number: ParticipantNumber, name: String, color: String, rateLimiter: EntryRateLimiter
  ) {
    self.id = id
    self.number = number
    self.name = name
    self.color = color
    self.rateLimiter = rateLimiter
  }

  /// Updates the number of ignored refusals after an accepted entry or control message.
  func recordAccepted(now: MonotonicTime, pausesAfter limit: UInt16) {
    // While the number of ignored refusals is below `limit`, an accepted message resets the number. From `limit` on, the gateway
    // pauses reading from the participant's socket. Then an accepted message resets the number only if the participant waited
    // until `retryAt` without such a pause.
    let hasWaited = retryAt.map { $0 <= now && !wasPaused } ?? false
    if ignoredRefusals < limit || hasWaited { ignoredRefusals = 0 }
    if retryAt != nil { wasPaused = false }
    retryAt = nil
  }

  /// The description of the participant that the other participants receive.
  var object: Participant { Participant(id: id, number: number, name: name, color: color) }

  /// The contents of the participant's record on disk; nil while the participant waits, because only the number of a waiting
  /// participant is stored.
  var record: ParticipantRecord? {
    let presence: ParticipantRecord.Presence
    switch self.presence {
    case .waiting: return nil
    case .joined, .away: presence = .active
    case .past: presence = .past
    case .left: presence = .left
    }
    return ParticipantRecord(
      participant: object, digest: presence == .left ? nil : digest, acknowledged: savedAcknowledged,
      presence: presence, requestedColor: requestedColor?.text == color ? nil : requestedColor)
  }

  var subscriber: Subscriber? {
    switch presence {
    case .waiting(let subscriber), .joined(let subscriber): subscriber
    case .away, .past, .left: nil
    }
  }

  var isJoined: Bool {
    if case .joined = presence { true } else { false }
  }

  var isWaiting: Bool {
    if case .waiting = presence { true } else { false }
  }

  /// True when the participant has joined, and is connected or within its grace time.
  var isActive: Bool {
    switch presence {
    case .joined, .away: true
    case .waiting, .past, .left: false
    }
  }
}

/// The random values for a new participant, passed in because SessionCore has no source of randomness.
package struct NewIdentity: Sendable {
  package var id: UUID
  package var token: Token
  /// Random bits that choose the name and the color, if the client sends none.
  package var lot: UInt64

  package init(id: UUID, token: Token, lot: UInt64) {
    self.id = id
    self.token = token
    self.lot = lot
  }
}
