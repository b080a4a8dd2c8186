internal import FoundationEssentials
package import Primitives
internal import Wire

/// Entries that come: each is told once as new, with its source, in the session's order (3).
extension ClientSession {
  /// A binary message. After one that cannot be cut into entries a new socket is asked for.
  package mutating func received(entries bytes: Span<UInt8>, now: MonotonicTime) {
    self.now = now
    if !isReading { readBesides += bytes.count }
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
        return fault()
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
    // In a snapshot only its end leaves a whole state behind (2.1).
    if isReliable, let after, afterEpoch == epoch, entry.sequence > after { self.after = entry.sequence }
  }

  private mutating func receiveMessage(_ entry: GatewayEntry, in bytes: Span<UInt8>, isReliable: Bool) {
    let isMine = myNumbers.contains(entry.sender)
    // An unreliable one of our own is no news.
    if isMine, !isReliable { return }
    var isRepeat = false
    if isReliable, entry.clientSequence > 0 {
      isRepeat = told.isRepeat(entry.clientSequence, of: entry.sender)
      if entry.sender == outboxNumber, entry.sender != 0 { accepted(entry) }
    }
    var payload: [UInt8] = []
    payload.append(bytes.extracting(entry.payload))
    var type: [UInt8] = []
    type.append(bytes.extracting(entry.type))
    tell(
      .entry(
        ReceivedEntry(
          source: company.participant(entry.sender), isMine: isMine,
          type: String(decoding: type, as: UTF8.self), payload: payload, flags: entry.flags, key: entry.key,
          sequence: entry.sequence, clientSequence: entry.clientSequence, isRepeat: isRepeat)))
  }

  /// Our own entry has come back.
  private mutating func accepted(_ entry: GatewayEntry) {
    outbox.accept(entry.clientSequence, at: entry.sequence)
    outbox.commit(committed)
    isProbing = false
    refusalsInRow = 0
    doubtUntil = nil
  }

  private mutating func receiveSystem(_ entry: GatewayEntry, in bytes: Span<UInt8>) {
    let payload = bytes.extracting(entry.payload)
    var type: [UInt8] = []
    type.append(bytes.extracting(entry.type))
    do throws(WireError) {
      switch String(decoding: type, as: UTF8.self) {
      case SystemType.participants:
        company.apply(try ParticipantsPayload.decode(payload))
        if let me { self.me = company.participant(me.number) }
      case SystemType.activity:
        let activity = try ActivityPayload.decode(payload)
        self.activity = activity
        activityChanged(activity, at: entry.sequence)
      case SystemType.attachment:
        if entry.flags.retention == .remove {
          shelf.remove(entry.key.uuid)
        } else {
          shelf.put(try AttachmentObject.decode(payload))
        }
      case SystemType.attachmentProgress:
        return tell(.progress(try AttachmentProgressPayload.decode(payload)))
      case SystemType.newSession:
        let successor = try NewSessionPayload.decode(payload)
        return tell(.successor(successor.session, by: successor.by))
      case SystemType.notice: return tell(.notice(try NoticePayload.decode(payload)))
      default: return
      }
    } catch {
      // What this version cannot read says nothing to it.
      return
    }
    tellChanges()
  }

  /// A change of ours has come back, and what waits behind it may go; it is kept until it is on disk.
  private mutating func activityChanged(_ activity: ActivityPayload, at sequence: UInt64) {
    guard let change = outbox.sentActivity, myNumbers.contains(activity.by) else { return }
    // As state it may be an older one of ours. And where somebody else's is the state, ours may have come before it or never: the
    // wire does not say, and nothing behind ours went out that could. It goes again then, over theirs, rather than be lost.
    if sequence == 0, activity.activity.applying(change) != activity.activity { return }
    // Who lagged is not told when the state that it is brought to is on disk, only who joined anew is.
    outbox.acceptControl(at: sequence > 0 ? sequence : maySend ? 0 : stateSequence)
    outbox.commit(committed)
  }
}
