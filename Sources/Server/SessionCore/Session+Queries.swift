package import Wire
package import Primitives

/// What a shell asks before it decides what to do with a session.
extension Session {
  /// Bytes that its attachments take of the quota, those that uploads have reserved included.
  package var attachmentBytes: Int { Int(clamping: journal.usedBytes) }

  /// Whether somebody waits to join.
  package var hasWaiting: Bool { !participants.waiting.isEmpty }

  /// The successor that was named within the last ten seconds: who asks for one now gets that.
  package func recentSuccessor(now: MonotonicTime) -> SessionID? {
    guard let successor, now.seconds(since: successor.at) < 10 else { return nil }
    return successor.id
  }

  /// Whether some attachment has a content with this digest.
  package func holdsContent(_ digest: String) -> Bool {
    journal.digests.contains(digest)
  }
}
