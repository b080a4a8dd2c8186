internal import Wire

/// The colors of the present participants, and the choice of a participant's color.
///
/// A participant gets the color that it requests unless that color looks like the color of another person. While at most eight
/// people are present, no two of them look alike. Participants with the same name that requested the same color count as the tabs
/// of one person, and have the same color.
///
/// The work for a join is bounded: only `trackedLimit` participants are compared. In larger sessions, where similar colors are
/// inevitable, further participants get the colors that they request.
struct ParticipantColors {
  /// A participant whose color is compared with others.
  private struct Row {
    let number: ParticipantNumber
    let name: String
    let requested: RGBColor?
    /// The color of the participant.
    let entry: ParticipantPalette.Entry
    /// The number of palette colors that look like the participant's color, but at least 1: other people cannot have these colors.
    let taken: Int

    init(_ participant: ParticipantState, _ color: RGBColor) {
      number = participant.number
      name = participant.name
      requested = participant.requestedColor
      entry = ParticipantPalette.Entry(color)
      taken = ParticipantColors.takenColors(by: entry)
    }

    /// Returns true if the participant is a tab of the person that has this name and requested this color.
    func belongs(toPerson name: String, requested color: RGBColor?) -> Bool {
      color != nil && requested == color && self.name == name
    }

    /// Returns true for the participant itself and for the other tabs of the same person.
    func belongs(toPersonOf participant: ParticipantState) -> Bool {
      number == participant.number
        || belongs(toPerson: participant.name, requested: participant.requestedColor)
    }
  }

  /// The maximum number of participants whose colors are compared.
  static let trackedLimit = 32
  /// The number of people who can always be given distinct colors.
  private static let distinctPeople = 8

  private var rows: [Row] = []

  /// Adds a participant that has become present.
  mutating func add(_ participant: ParticipantState) {
    guard rows.count < Self.trackedLimit, let color = RGBColor(participant.color) else { return }
    rows.append(Row(participant, color))
  }

  /// Removes a participant that is no longer present.
  mutating func remove(_ participant: ParticipantState) {
    guard let index = rows.firstIndex(where: { $0.number == participant.number }) else { return }
    rows.swapAt(index, rows.count - 1)
    rows.removeLast()
  }

  /// Records the new name or color of a participant.
  mutating func update(_ participant: ParticipantState) {
    guard let index = rows.firstIndex(where: { $0.number == participant.number }),
      let color = RGBColor(participant.color)
    else { return }
    rows[index] = Row(participant, color)
  }

  /// Returns the color of a present person that has this name and requested this color; nil if there is none.
  func color(ofPerson name: String, requested: RGBColor?) -> RGBColor? {
    rows.first { $0.belongs(toPerson: name, requested: requested) }?.entry.color
  }

  /// Chooses a color for a participant.
  ///
  /// - Parameters:
  ///   - requested: the color to return if possible. Otherwise, the nearest free color of the palette is returned.
  ///   - participant: the participant that gets the color; nil for a participant that is not present yet. Its own color, and those
  ///     of the other tabs of the same person, count as free.
  ///   - lot: a random number that selects a color of the palette if no color is requested.
  /// - Returns: a color that does not look like the color of any present person; if there is none, the most different color.
  func freeColor(
    requested: RGBColor?, for participant: ParticipantState? = nil, lot: UInt64 = 0
  ) -> RGBColor {
    let palette = ParticipantPalette.entries
    guard rows.count < Self.trackedLimit else {
      return requested ?? palette[Int(lot % UInt64(palette.count))].color
    }
    let others = if let participant { rows.filter { !$0.belongs(toPersonOf: participant) } } else { rows }
    let wish = requested.map(ParticipantPalette.Entry.init)
    if let wish, isDistinct(wish, from: others), leavesEnough(wish, besides: others) { return wish.color }
    let free = palette.filter { isDistinct($0, from: others) }
    guard !free.isEmpty else { return mostDistinct(palette + (wish.map { [$0] } ?? []), from: others) }
    guard let wish else { return free[Int(lot % UInt64(free.count))].color }
    let nearest = free.min { $0.lab.distance(to: wish.lab) < $1.lab.distance(to: wish.lab) }
    return nearest?.color ?? wish.color
  }

  /// Returns true if a person can get the color `wish` while the palette keeps enough free colors for further people, up to
  /// `distinctPeople` in all, even if others leave before they come.
  private func leavesEnough(_ wish: ParticipantPalette.Entry, besides others: [Row]) -> Bool {
    var people = 1
    var taken = Self.takenColors(by: wish)
    for (index, row) in others.enumerated()
    where !others[..<index].contains(where: { $0.entry.color == row.entry.color }) {
      people += 1
      taken += row.taken
    }
    return taken + max(0, Self.distinctPeople - people) <= ParticipantPalette.entries.count
  }

  /// Returns the number of palette colors that look like a color, but at least 1, so that each person who leaves frees a color for
  /// another person. For a color outside the palette, the number can be as high as 4.
  private static func takenColors(by entry: ParticipantPalette.Entry) -> Int {
    let similar = ParticipantPalette.entries.count {
      $0.lab.distance(to: entry.lab) < ParticipantPalette.distinctDistance
    }
    return max(1, similar)
  }

  private func mostDistinct(_ entries: [ParticipantPalette.Entry], from others: [Row]) -> RGBColor {
    var best = entries[0]
    for entry in entries.dropFirst()
    where leastDistance(entry, to: others) > leastDistance(best, to: others) {
      best = entry
    }
    return best.color
  }

  private func isDistinct(_ entry: ParticipantPalette.Entry, from others: [Row]) -> Bool {
    leastDistance(entry, to: others) >= ParticipantPalette.distinctDistance
  }

  private func leastDistance(_ entry: ParticipantPalette.Entry, to others: [Row]) -> Float {
    others.reduce(.infinity) { min($0, $1.entry.lab.distance(to: entry.lab)) }
  }
}
