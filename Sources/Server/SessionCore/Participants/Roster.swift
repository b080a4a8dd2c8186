internal import Wire

/// The active participants as encoded JSON, for joiners. Without this cache, encoding the whole list in every turn was most of
/// the work when many participants joined.
///
/// The list is made when it is needed. With many participants, the roster stores the list and appends each new participant. The
/// list is dropped when a participant leaves, comes back, or changes its name or color.
struct Roster {
  /// The JSON objects of some participants, separated by commas.
  struct Part {
    var count = 0
    var json = JSONWriter()
  }

  private let perPart: Int
  private(set) var parts: [Part] = []
  /// True when every active participant is in the list.
  private(set) var isComplete = false
  private var lastNumber: ParticipantNumber = 0

  init(perPart: Int) {
    self.perPart = perPart
  }

  var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Makes the list from `participants`, which the caller has sorted by number.
  mutating func make(of participants: [ParticipantState]) {
    parts = []
    lastNumber = 0
    isComplete = true
    for participant in participants { add(participant) }
  }

  /// Adds a participant that has become active.
  mutating func add(_ participant: ParticipantState) {
    guard isComplete else { return }
    // The list is sorted by number, and a participant that comes back keeps its number. If this number is not above
    // `lastNumber`, the participant cannot be appended, so the list is dropped.
    guard participant.number > lastNumber else { return drop() }
    lastNumber = participant.number
    if (parts.last?.count ?? perPart) == perPart { parts.append(Part()) }
    let last = parts.count - 1
    parts[last].count += 1
    parts[last].json.element()
    participant.object.write(to: &parts[last].json)
  }

  /// Drops the list when it is out of date or no longer needed.
  mutating func drop() {
    parts = []
    isComplete = false
  }
}
