internal import FoundationEssentials
package import Primitives
internal import Wire

/// Received entries: each entry is reported as new only once, with its source, in the session's order (wire protocol, section 3).
extension ClientSession {
  /// Handles a binary message. A message that does not consist of whole entries is a protocol violation.
  package mutating func received(entries bytes: Span<UInt8>, now: MonotonicTime) {
    self.now = now
    readControl.count(bytes.count)
    var offset = 0
    while offset < bytes.count {
      switch phase {
      case .catchingUp, .live: break
      case .idle, .opening, .waiting, .joining, .over: return
      }
      do throws(WireError) {
        let entry = try GatewayEntry.parse(bytes, at: offset)
        offset = entry.end
        receive(entry, in: bytes)
      } catch {
        return protocolViolation()
      }
    }
  }

  private mutating func receive(_ entry: GatewayEntry, in bytes: Span<UInt8>) {
    let isReliable = entry.flags.contains(.reliable)
    if entry.flags.contains(.system) {
      if entry.sender == 0 { receiveSystem(entry, in: bytes) }
    } else {
      receiveMessage(entry, in: bytes, isReliable: isReliable)
    }
    if isReliable { position.deliver(entry.sequence) }
  }

  private mutating func receiveMessage(_ entry: GatewayEntry, in bytes: Span<UInt8>, isReliable: Bool) {
    let isMine = identity.owns(entry.sender)
    // An unreliable entry of this client is not reported to the program.
    if isMine, !isReliable { return }
    var isRepeat = false
    if isReliable, entry.clientSequence > 0 {
      isRepeat = deduplication.isRepeat(entry.clientSequence, of: entry.sender)
      if entry.sender == identity.outboxNumber, entry.sender != 0 { accepted(entry) }
    }
    var payload: [UInt8] = []
    payload.append(bytes.extracting(entry.payload))
    var type: [UInt8] = []
    type.append(bytes.extracting(entry.type))
    report(
      .entry(
        ReceivedEntry(
          source: state.participant(entry.sender), isMine: isMine,
          type: String(decoding: type, as: UTF8.self), payload: payload, flags: entry.flags, key: entry.key,
          sequence: entry.sequence, clientSequence: entry.clientSequence, isRepeat: isRepeat)))
  }

  /// Handles an entry of this client that the gateway sent back as an acknowledgement.
  private mutating func accepted(_ entry: GatewayEntry) {
    outbox.accept(entry.clientSequence, at: entry.sequence)
    outbox.commit(position.committed)
    isProbing = false
    spaceRefusals = 0
    doubtUntil = nil
  }

  private mutating func receiveSystem(_ entry: GatewayEntry, in bytes: Span<UInt8>) {
    let payload = bytes.extracting(entry.payload)
    var type: [UInt8] = []
    type.append(bytes.extracting(entry.type))
    do throws(WireError) {
      switch String(decoding: type, as: UTF8.self) {
      case SystemType.participants:
        state.apply(try ParticipantsPayload.decode(payload))
        if let me = identity.participant { identity.update(state.participant(me.number)) }
      case SystemType.activity:
        let activity = try ActivityPayload.decode(payload)
        state.apply(activity)
        activityChanged(activity, at: entry.sequence)
      case SystemType.attachment:
        if entry.flags.retention == .remove {
          state.removeAttachment(entry.key.uuid)
        } else {
          state.put(try AttachmentObject.decode(payload))
        }
      case SystemType.attachmentProgress:
        return report(.progress(try AttachmentProgressPayload.decode(payload)))
      case SystemType.newSession:
        let successor = try NewSessionPayload.decode(payload)
        return report(.successor(successor.session, by: successor.by))
      case SystemType.notice: return report(.notice(try NoticePayload.decode(payload)))
      default: return
      }
    } catch {
      // A payload that cannot be decoded may come from a later protocol version, and is ignored.
      return
    }
    reportChanges()
  }

  /// Handles an activity change of this participant that the gateway sent back. The messages after the change may now be sent.
  /// The change stays in the outbox until it is committed.
  private mutating func activityChanged(_ activity: ActivityPayload, at sequence: UInt64) {
    guard let change = outbox.sentActivity, identity.owns(activity.by) else { return }
    // A snapshot begins with the session's activity, under sequence 0. If this activity lacks `change`, the snapshot shows an
    // older change of this client. The function then returns without accepting `change`, and the client sends `change` again.
    //
    // If the activity comes from another participant, the guard at the beginning of this function has returned already. The
    // protocol then does not show whether `change` was lost, or was applied and then replaced by the other participant's change.
    // So the client sends `change` again, even though it may replace the other participant's change.
    if sequence == 0, activity.activity.applying(change) != activity.activity { return }
    // The client keeps an accepted change until the gateway reports with `committed` that the change's sequence is on disk. After
    // a join, the gateway sends `committed` for the snapshot's sequence. But a client that receives too slowly gets another
    // snapshot on the same socket (`maySend` is then true), and no `committed` for that snapshot. In that case, the change gets
    // sequence 0, which counts as committed already.
    outbox.acceptControl(at: sequence > 0 ? sequence : maySend ? 0 : position.snapshotSequence)
    outbox.commit(position.committed)
  }
}
