internal import FoundationEssentials
internal import SessionCore
internal import Wire

/// The attachments that are not ready yet, of all sessions of one reactor.
///
/// The key is the identity of the `SessionHost` object, not the session's id: a task of an unloaded session may still run after
/// the same session was loaded again. The attachments of a session are removed together with its `SessionHost`, so no key
/// outlives its object.
final class PendingAttachments {
  private var sessions: [ObjectIdentifier: [UUID: PendingAttachment]] = [:]
  /// The incomplete attachments of ended sessions. Their files have not been discarded yet.
  private var ended: [SessionID: [PendingAttachment]] = [:]

  /// Returns an attachment of a session; nil if the attachment is ready or unknown.
  subscript(attachment: UUID, host: SessionHost) -> PendingAttachment? {
    sessions[ObjectIdentifier(host)]?[attachment]
  }

  /// True while a request or the gateway works on an attachment of a session.
  func isBusy(in host: SessionHost) -> Bool {
    sessions[ObjectIdentifier(host)]?.values.contains { $0.isBusy } ?? false
  }

  func insert(_ pending: PendingAttachment, as attachment: UUID, in host: SessionHost) {
    sessions[ObjectIdentifier(host), default: [:]][attachment] = pending
  }

  /// Removes an attachment that is ready, or that was removed from its session.
  @discardableResult
  func remove(_ attachment: UUID, from host: SessionHost) -> PendingAttachment? {
    let key = ObjectIdentifier(host)
    guard let pending = sessions[key]?.removeValue(forKey: attachment) else { return nil }
    if sessions[key]?.isEmpty == true { sessions[key] = nil }
    pending.isOver = true
    return pending
  }

  /// Removes all attachments of a session, because the session is removed from memory.
  ///
  /// - Parameters:
  ///   - host: the session.
  ///   - keepsFiles: true if the files stay on the disk. If false, the incomplete attachments are listed for `takeEnded`, whose
  ///     caller discards their files.
  /// - Returns: the removed attachments.
  func removeAll(of host: SessionHost, keepsFiles: Bool) -> [PendingAttachment] {
    guard let removed = sessions.removeValue(forKey: ObjectIdentifier(host)) else { return [] }
    for pending in removed.values { pending.isOver = true }
    let incomplete = removed.values.filter { !$0.isWhole }
    if !keepsFiles, !incomplete.isEmpty { ended[host.id, default: []] += incomplete }
    return Array(removed.values)
  }

  /// Removes and returns the incomplete attachments of an ended session.
  func takeEnded(of id: SessionID) -> [PendingAttachment] { ended.removeValue(forKey: id) ?? [] }
}
