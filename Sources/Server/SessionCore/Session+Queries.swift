package import Wire
package import Primitives

/// Queries for the shell.
extension Session {
  /// Bytes of the attachment quota in use, including the reservations of uploads.
  package var attachmentBytes: Int { Int(clamping: journal.usedBytes) }

  /// Returns the successor if it was chosen within the last ten seconds: a new request then gets the same successor.
  package func recentSuccessor(now: MonotonicTime) -> SessionID? {
    guard let successor, now.seconds(since: successor.at) < 10 else { return nil }
    return successor.id
  }

  /// Returns a present or past participant; nil if the session does not know the number.
  package func participant(_ number: ParticipantNumber) -> Participant? {
    participants[number]?.object ?? participants.formerSenders[number]
  }

  /// Returns true if the content of an attachment has this digest.
  package func holdsContent(_ digest: String) -> Bool {
    journal.digests.contains(digest)
  }
}
