internal import FoundationEssentials
internal import Wire

/// The state of a session as the gateway describes it, and the state that was last reported to the observer.
struct SessionState: Sendable {
  private var participants = ParticipantList()
  private var attachments = AttachmentTable()
  private var activity: ActivityPayload?
  private var reportedActive: [Participant] = []
  private var reportedWaiting: [Participant] = []
  private var reportedAttachments: [AttachmentObject] = []
  private var reportedActivity: ActivityPayload?

  // MARK: - Participants

  /// Returns the participant that has or had a number.
  func participant(_ number: ParticipantNumber) -> Participant { participants.participant(number) }

  /// Returns the numbers of the active participants with these ids.
  func numbers(of ids: [UUID]) -> [ParticipantNumber] { participants.numbers(of: ids) }

  /// Adds an active participant.
  mutating func add(_ participant: Participant) { participants.add(participant) }

  // MARK: - Entries

  /// Clears the lists of participants and attachments, because the entries of a snapshot follow. The lists are complete again
  /// after `endCatchUp`.
  mutating func beginSnapshot() {
    participants.beginSnapshot()
    attachments.removeAll()
  }

  /// Ends a catch-up: the state is complete.
  mutating func endCatchUp() { participants.endSnapshot() }

  /// Applies a `participants` entry.
  mutating func apply(_ payload: ParticipantsPayload) { participants.apply(payload) }

  /// Applies an `activity` entry.
  mutating func apply(_ payload: ActivityPayload) { activity = payload }

  /// Adds or replaces an attachment.
  mutating func put(_ attachment: AttachmentObject) { attachments.put(attachment) }

  /// Removes an attachment.
  mutating func removeAttachment(_ id: UUID) { attachments.remove(id) }

  // MARK: - Changes

  /// Returns an event for each part of the state that has changed since the last call.
  mutating func takeChanges() -> [SessionEvent] {
    var events: [SessionEvent] = []
    let active = participants.active
    let waiting = participants.waiting
    if active != reportedActive || waiting != reportedWaiting {
      reportedActive = active
      reportedWaiting = waiting
      events.append(.participants(active: active, waiting: waiting))
    }
    if let activity, activity != reportedActivity {
      reportedActivity = activity
      events.append(.activity(activity.activity, by: activity.by))
    }
    let attachments = attachments.all
    if attachments != reportedAttachments {
      reportedAttachments = attachments
      events.append(.attachments(attachments))
    }
    return events
  }
}
