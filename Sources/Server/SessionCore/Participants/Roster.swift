internal import Wire
internal import Primitives

/// Those who are in a session as `joined` lists them, ready to be sent: of a thousand who come at once each is caught up, and
/// to write the whole list for each turn was most of what that took.
///
/// It is made when it is wanted, kept where there are many, and grows with those who come; any other change drops it.
struct Roster {
  /// Some of them: how many, and their objects with commas between.
  struct Part {
    var count = 0
    var json = JSONWriter()
  }

  private let perPart: Int
  private(set) var parts: [Part] = []
  /// It has everybody who is in the session.
  private(set) var isComplete = false
  private var lastNumber: ParticipantNumber = 0

  init(perPart: Int) {
    self.perPart = perPart
  }

  var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Begins anew with these, in the order of their numbers.
  mutating func make(of records: [ParticipantState]) {
    parts = []
    lastNumber = 0
    isComplete = true
    for record in records { add(record) }
  }

  /// Somebody is in from now on.
  mutating func add(_ record: ParticipantState) {
    guard isComplete else { return }
    // Who came back has a number from before: the order is by number.
    guard record.number > lastNumber else { return drop() }
    lastNumber = record.number
    if (parts.last?.count ?? perPart) == perPart { parts.append(Part()) }
    let last = parts.count - 1
    parts[last].count += 1
    parts[last].json.element()
    record.participant.write(to: &parts[last].json)
  }

  /// It is not right any more, or nobody wants it.
  mutating func drop() {
    parts = []
    isComplete = false
  }
}
