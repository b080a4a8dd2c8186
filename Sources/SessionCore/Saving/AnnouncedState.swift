internal import Wire

internal import struct FoundationEssentials.UUID

/// The participants, the activity and the trouble with the disk as the entries of a log announce them.
///
/// Records go to the disk before the entries that tell of the same: after a crash the records may know more. The difference is
/// announced to clients that go on with a tail, who know the entries only.
struct AnnouncedState {
  private var active: [ParticipantNumber: Participant] = [:]
  private var waiting: [ParticipantNumber: UUID] = [:]
  private var activity: ActivityPayload?
  /// Everybody was told that entries are not saved, and not that they are again.
  private var isUnsaved = false

  /// The state with which a session begins.
  init(activity: ActivityPayload?) {
    self.activity = activity
  }

  /// The state at the head of a compacted log, whose records tell of all that its entries no longer do.
  init(
    activity: ActivityPayload?, participants: some Sequence<Participant>, waiting: [SessionFacts.Waiting]
  ) {
    self.activity = activity
    for participant in participants { active[participant.number] = participant }
    for one in waiting { self.waiting[one.number] = one.id }
  }

  /// Applies a system entry of the log; one that cannot be read changes nothing.
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
      // Announced to nobody who could read it either.
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

  /// Appends the entries that make this state the session's.
  func restate(in session: Session) {
    let known = session.participants
    for record in known.values.sorted(by: { $0.number < $1.number }) where record.isActive {
      guard let announced = active[record.number] else {
        session.presence.join(record.number)
        continue
      }
      if announced != record.participant { session.presence.change(record.number) }
    }
    for (number, participant) in active.sorted(by: { $0.key < $1.key }) {
      guard let record = known[number] else {
        session.presence.leave(participant.id, number, reason: .gone)
        continue
      }
      guard !record.isActive else { continue }
      var reason = Departure.Reason.gone
      if case .left = record.presence { reason = .left }
      session.presence.leave(record.id, number, reason: reason)
    }
    for (number, id) in waiting.sorted(by: { $0.key < $1.key }) where known[number]?.isActive != true {
      session.presence.leave(id, number, reason: .gone)
    }
    session.announcePresence()
    let payload = ActivityPayload(activity: session.activity, by: session.activitySetBy)
    if activity != payload { session.appendSystem(SystemType.activity, payload.encoded()) }
    if isUnsaved { session.appendSystem(SystemType.notice, NoticePayload.savedAgain.encoded()) }
  }
}
