package import Wire
internal import Primitives

package import struct FoundationEssentials.UUID

/// One who is, was, or waits to be in a session.
final class ParticipantState {
  enum Presence {
    /// Connected, but has not joined.
    case waiting(Subscriber)
    case joined(Subscriber)
    /// The socket broke; nobody is told before the grace time is over.
    case away(until: MonotonicTime)
    /// Gone after the grace time, or never announced; the token still holds.
    case past
    /// Gone for good: the token was given up.
    case left
  }

  // In an order that leaves no gaps in memory: there are as many of these as people.
  let id: UUID
  /// Of the token by which they come back, or which they gave up by leaving; nil while they wait.
  var digest: TokenDigest?
  /// It moved since it was given to the store last.
  var hasUnsaved = false
  /// Reliable entries are dropped in silence until the one that is due comes.
  var isAwaitingDueEntry = false
  /// The last refusal was heeded only because nothing was read meanwhile.
  var wasPaused = false
  /// Has entries that no `committed` has covered yet.
  var awaitsCommitted = false
  /// Ever sent a retained entry, so that a snapshot may hold something of it.
  var hasRetained = false
  /// Refusals in a row that were not heeded: the next one came before `retryAt`.
  var ignoredRefusals: UInt16 = 0
  var name: String
  var color: String
  var presence = Presence.past
  let number: ParticipantNumber
  var retryAt: MonotonicTime?
  /// The highest client sequence of this participant that the session holds.
  var acknowledged: UInt32 = 0
  /// The sequence of its newest entry.
  var lastSequence: UInt64 = 0
  /// The first sequence that is to be covered by a `committed`, while it waits for one.
  var awaitsFrom: UInt64 = 0
  var bucket: RateBucket
  /// What is on disk of `acknowledged`.
  var savedAcknowledged: UInt32 = 0

  init(
    id: UUID, number: ParticipantNumber, name: String, color: String, bucket: RateBucket
  ) {
    self.id = id
    self.number = number
    self.name = name
    self.color = color
    self.bucket = bucket
  }

  /// Something was taken that the bucket had room for.
  func passed(now: MonotonicTime, pausesAfter limit: UInt16) {
    // Who was paused once is forgiven only when a later refusal is waited for.
    let heeded = retryAt.map { $0 <= now && !wasPaused } ?? false
    if ignoredRefusals < limit || heeded { ignoredRefusals = 0 }
    if retryAt != nil { wasPaused = false }
    retryAt = nil
  }

  var participant: Participant { Participant(id: id, number: number, name: name, color: color) }

  /// What is written of them; nil while they wait: nothing of them lasts but their number.
  var facts: ParticipantRecord? {
    let presence: ParticipantRecord.Presence
    switch self.presence {
    case .waiting: return nil
    case .joined, .away: presence = .active
    case .past: presence = .past
    case .left: presence = .left
    }
    return ParticipantRecord(
      participant: participant, digest: presence == .left ? nil : digest, acknowledged: savedAcknowledged,
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

  /// Counts as here: joined, or away within the grace time.
  var isActive: Bool {
    switch presence {
    case .joined, .away: true
    case .waiting, .past, .left: false
    }
  }
}

/// What the shell draws by lot for somebody new: this target knows no chance.
package struct NewIdentity: Sendable {
  package var id: UUID
  package var token: Token
  /// Chooses a name and a color where the person gave none.
  package var lot: UInt64

  package init(id: UUID, token: Token, lot: UInt64) {
    self.id = id
    self.token = token
    self.lot = lot
  }
}
