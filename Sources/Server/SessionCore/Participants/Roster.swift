internal import Wire

/// The active participants as encoded JSON, as joiners get them. If a thousand participants join in one turn, each of them is
/// caught up; encoding the whole list in every turn was most of the work of that.
///
/// The list is made when it is needed. With many participants it is kept and grows with each join; any other change drops it.
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

  /// Makes the list of these participants, which are sorted by number.
  mutating func make(of participants: [ParticipantState]) {
    parts = []
    lastNumber = 0
    isComplete = true
    for participant in participants { add(participant) }
  }

  /// Adds a participant that has become active.
  mutating func add(_ participant: ParticipantState) {
    guard isComplete else { return }
    // The order is by number, and a participant that comes back has an older number.
    guard participant.number > lastNumber else { return drop() }
    lastNumber = participant.number
    if (parts.last?.count ?? perPart) == perPart { parts.append(Part()) }
    let last = parts.count - 1
    parts[last].count += 1
    parts[last].json.element()
    participant.object.write(to: &parts[last].json)
  }

  /// Drops the list: it is wrong now, or no longer needed.
  mutating func drop() {
    parts = []
    isComplete = false
  }
}
