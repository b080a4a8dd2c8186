internal import Wire

internal import struct FoundationEssentials.UUID

/// The participants, the activity and the saving state that the entries of a log announce.
///
/// Records reach the disk before the entries that announce the same changes. So after a crash the records may contain changes
/// that no entry announces. Clients that continue with a tail know only the entries; the session announces the missing changes to
/// them.
struct AnnouncedState {
  private var active: [ParticipantNumber: Participant] = [:]
  private var waiting: [ParticipantNumber: UUID] = [:]
  private var activity: ActivityPayload?
  /// True after a notice that entries are not saved, until a notice that saving works again.
  private var isUnsaved = false

  /// Creates the state of a new session.
  init(activity: ActivityPayload?) {
    self.activity = activity
  }

  /// Creates the state at the head of a compacted log. The records of the head contain everything that the dropped entries
  /// announced.
  init(
    activity: ActivityPayload?, participants: some Sequence<Participant>,
    waiting: [SessionHeaderRecord.Waiting]
  ) {
    self.activity = activity
    for participant in participants { active[participant.number] = participant }
    for one in waiting { self.waiting[one.number] = one.id }
  }

  /// Applies a system entry of the log. An entry that cannot be read changes nothing.
  mutating func apply(_ entry: GatewayEntry, in body: Span<UInt8>) {
    var type: [UInt8] = []
    type.append(body.extracting(entry.type))
    let payload = body.extracting(entry.payload)
    do throws(WireError) {
      switch String(decoding: type, as: UTF8.self) {
      case SystemType.participants: apply(try ParticipantsPayload.decode(payload))
      case SystemType.activity: activity = try ActivityPayload.decode(payload)
      case SystemType.notice:
        switch try NoticePayload.decode(payload).code {
        case .storageFull: isUnsaved = true
        case .saved: isUnsaved = false
        case .sessionQuota, .damaged: break
        }
      default: break
      }
    } catch {
      // The payload cannot be decoded. Clients could not decode it either, so the entry announced nothing to them.
      return
    }
  }

  private mutating func apply(_ payload: ParticipantsPayload) {
    for participant in payload.waiting { waiting[participant.number] = participant.id }
    for participant in payload.joined {
      waiting[participant.number] = nil
      active[participant.number] = participant
    }
    for participant in payload.changed where active[participant.number] != nil {
      active[participant.number] = participant
    }
    for departure in payload.left {
      waiting[departure.number] = nil
      active[departure.number] = nil
    }
  }

  /// Appends the entries that announce the differences between this state and the session.
  func restate(in session: inout Session) {
    let participants = session.participants
    for participant in participants.values.sorted(by: { $0.number < $1.number }) where participant.isActive {
      guard let announced = active[participant.number] else {
        session.presence.changes.join(participant.number)
        continue
      }
      if announced != participant.object { session.presence.changes.change(participant.number) }
    }
    for (number, object) in active.sorted(by: { $0.key < $1.key }) {
      guard let participant = participants[number] else {
        session.presence.changes.leave(object.id, number, reason: .gone)
        continue
      }
      guard !participant.isActive else { continue }
      var reason = Departure.Reason.gone
      if case .left = participant.presence { reason = .left }
      session.presence.changes.leave(participant.id, number, reason: reason)
    }
    for (number, id) in waiting.sorted(by: { $0.key < $1.key }) where participants[number]?.isActive != true {
      session.presence.changes.leave(id, number, reason: .gone)
    }
    session.announcePresence()
    let payload = session.activityState
    if activity != payload { session.appendSystem(SystemType.activity, payload.encoded()) }
    if isUnsaved { session.appendSystem(SystemType.notice, NoticePayload.savedAgain.encoded()) }
  }
}
