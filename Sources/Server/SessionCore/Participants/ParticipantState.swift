internal import Primitives
package import Wire

package import struct FoundationEssentials.UUID

/// A present, past or waiting participant of a session.
final class ParticipantState {
  enum Presence {
    /// Connected, but not joined.
    case waiting(Subscriber)
    case joined(Subscriber)
    /// Within the grace time after its socket closed; not announced before that is over.
    case away(until: MonotonicTime)
    /// Did not come back in time, or was never announced; its token is still valid.
    case past
    /// Left, and gave up its token.
    case left
  }

  // Ordered without gaps in memory, because there is one object per participant.
  let id: UUID
  /// The digest of the token; nil while the participant waits.
  var digest: TokenDigest?
  /// True when `acknowledged` has changed since the last save.
  var hasUnsaved = false
  /// True while reliable entries are dropped without an answer until the next expected one.
  var isAwaitingDueEntry = false
  /// True when the participant respected the last refusal only because its socket was not read.
  var wasPaused = false
  /// True when no `committed` message covers its newest entries yet.
  var awaitsCommitted = false
  /// True after its first retained entry: a snapshot may contain entries of it.
  var hasRetained = false
  /// Consecutive refusals that the participant ignored: its next entry came before `retryAt`.
  var ignoredRefusals: UInt16 = 0
  var name: String
  var color: String
  var presence = Presence.past
  let number: ParticipantNumber
  var retryAt: MonotonicTime?
  /// The highest client sequence of this participant that the session has taken.
  var acknowledged: UInt32 = 0
  /// The sequence of its newest entry.
  var lastSequence: UInt64 = 0
  /// The first sequence that its next `committed` message has to cover.
  var awaitsFrom: UInt64 = 0
  var rateLimiter: EntryRateLimiter
  /// The value of `acknowledged` on disk.
  var savedAcknowledged: UInt32 = 0

  init(
    id: UUID, number: ParticipantNumber, name: String, color: String, rateLimiter: EntryRateLimiter
  ) {
    self.id = id
    self.number = number
    self.name = name
    self.color = color
    self.rateLimiter = rateLimiter
  }

  /// Updates the ignored refusals after an entry or control message that the bucket had room for.
  func recordAccepted(now: MonotonicTime, pausesAfter limit: UInt16) {
    // After a pause, the count is reset only when the participant waits after a later refusal.
    let hasWaited = retryAt.map { $0 <= now && !wasPaused } ?? false
    if ignoredRefusals < limit || hasWaited { ignoredRefusals = 0 }
    if retryAt != nil { wasPaused = false }
    retryAt = nil
  }

  /// The participant as others see it.
  var object: Participant { Participant(id: id, number: number, name: name, color: color) }

  /// The contents of its record on disk; nil while it waits, because only its number outlasts that.
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
      presence: presence)
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

/// Random values for a new participant: SessionCore has no source of randomness.
package struct NewIdentity: Sendable {
  package var id: UUID
  package var token: Token
  /// Chooses the name and the color that the participant did not set.
  package var lot: UInt64

  package init(id: UUID, token: Token, lot: UInt64) {
    self.id = id
    self.token = token
    self.lot = lot
  }
}
