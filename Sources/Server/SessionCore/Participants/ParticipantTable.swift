internal import Primitives
internal import Wire

/// The participants of a session, present and past, with their tokens, colors and grace times.
struct ParticipantTable {
  private(set) var states: [ParticipantNumber: ParticipantState] = [:]
  private var numberByDigest: [TokenDigest: ParticipantNumber] = [:]
  /// The participants that left, by the digests of their tokens. A resume with such a token is refused. But while the session is
  /// in memory, the token still proves that its owner was a participant.
  private var leftByDigest: [TokenDigest: ParticipantNumber] = [:]
  /// Participants that left or did not come back, oldest first; at most `pastLimit`.
  private(set) var past: [ParticipantNumber] = []
  /// Forgotten participants whose names are kept, because a snapshot may contain their entries.
  private(set) var formerSenders: [ParticipantNumber: Participant] = [:]
  /// Participants that wait on their sockets and have not joined yet, oldest first.
  private(set) var waiting: [ParticipantNumber] = []
  private var graces = DeadlineQueue<ParticipantNumber>()
  private var colors = ParticipantColors()
  /// The number of participants that have joined, including those within their grace time.
  private(set) var activeCount = 0
  /// The number of the next new participant.
  var nextNumber: ParticipantNumber = 1
  private let pastLimit: Int
  private let digest: @Sendable (Token) -> TokenDigest

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - pastLimit: the number of past participants that may resume.
  ///   - digest: the function that computes the stored digest of a token.
  init(pastLimit: Int, digest: @escaping @Sendable (Token) -> TokenDigest) {
    self.pastLimit = pastLimit
    self.digest = digest
  }

  var count: Int { states.count }
  var values: Dictionary<ParticipantNumber, ParticipantState>.Values { states.values }
  /// The number of participants that count toward the limit `participantsPerSession`: active and waiting ones.
  var occupiedPlaces: Int { activeCount + waiting.count }
  /// The end of the first grace time in the queue, even if its participant has come back since.
  var nextDeadline: MonotonicTime? { graces.earliest }

  subscript(number: ParticipantNumber) -> ParticipantState? { states[number] }

  // MARK: - Tokens

  /// Returns the participant that may resume with a token.
  func number(of token: Token) -> ParticipantNumber? {
    numberByDigest[digest(token)]
  }

  /// Returns the participant with a token, even if the participant left.
  func formerNumber(of token: Token) -> ParticipantNumber? {
    let digest = digest(token)
    return numberByDigest[digest] ?? leftByDigest[digest]
  }

  /// Revokes the participant's token, so that no resume is possible.
  mutating func revokeToken(of participant: ParticipantState) {
    guard let digest = participant.digest else { return }
    numberByDigest[digest] = nil
    leftByDigest[digest] = participant.number
  }

  // MARK: - Joining

  /// Adds a participant. Chooses a missing name or color by the random values of the identity. Replaces a requested color that
  /// looks like the color of another person.
  mutating func add(_ profile: Profile, _ identity: NewIdentity, _ rateLimiter: EntryRateLimiter)
    -> ParticipantState
  {
    let name = profile.name ?? NameGenerator.name(random: identity.lot)
    let requested = profile.color.flatMap { RGBColor($0) }
    let color =
      colors.color(ofPerson: name, requested: requested)
      ?? colors.freeColor(requested: requested, lot: identity.lot)
    let participant = ParticipantState(
      id: identity.id, number: nextNumber, name: name, color: color.text, rateLimiter: rateLimiter)
    participant.requestedColor = requested
    nextNumber += 1
    states[participant.number] = participant
    colors.add(participant)
    return participant
  }

  /// Makes a new participant wait on a socket.
  mutating func wait(_ participant: ParticipantState, on subscriber: Subscriber) {
    participant.presence = .waiting(subscriber)
    waiting.append(participant.number)
  }

  /// Returns the participant that waits on a socket.
  func waiting(on subscriber: Subscriber) -> ParticipantState? {
    for number in waiting {
      if let participant = states[number], participant.subscriber === subscriber { return participant }
    }
    return nil
  }

  /// Makes a new or waiting participant active and gives it a token. The caller sets the presence.
  mutating func activate(_ participant: ParticipantState, _ token: Token) {
    if participant.isWaiting { waiting.removeAll { $0 == participant.number } }
    let digest = digest(token)
    participant.digest = digest
    numberByDigest[digest] = participant.number
    activeCount += 1
  }

  /// Makes a past participant active again. The participant gets another color if its color now looks like the color of another
  /// person. The caller sets the presence.
  mutating func reactivate(_ participant: ParticipantState) {
    past.removeAll { $0 == participant.number }
    let color =
      colors.color(ofPerson: participant.name, requested: participant.requestedColor)
      ?? colors.freeColor(requested: RGBColor(participant.color))
    participant.color = color.text
    colors.add(participant)
    activeCount += 1
  }

  /// Changes the name and the color of a participant. A participant that requests the same color as before keeps its color.
  ///
  /// - Returns: false if the profile changes neither.
  @discardableResult
  mutating func apply(_ profile: Profile, to participant: ParticipantState) -> Bool {
    let name = profile.name ?? participant.name
    let color = newColor(of: participant, name: name, requested: profile.color.flatMap { RGBColor($0) })
    let isChanged = name != participant.name || color != participant.color
    participant.name = name
    participant.color = color
    colors.update(participant)
    return isChanged
  }

  /// Returns the color of a participant after a request, and records the request.
  private func newColor(of participant: ParticipantState, name: String, requested: RGBColor?) -> String {
    guard let requested, requested != participant.requestedColor else { return participant.color }
    defer { participant.requestedColor = requested }
    if requested.text == participant.color { return participant.color }
    let color =
      colors.color(ofPerson: name, requested: requested)
      ?? colors.freeColor(requested: requested, for: participant)
    return color.text
  }

  // MARK: - Leaving

  /// Begins the grace time of a participant whose socket is gone.
  mutating func beginGrace(of participant: ParticipantState, until deadline: MonotonicTime) {
    participant.presence = .away(until: deadline)
    graces.insert(participant.number, at: deadline)
  }

  /// Returns the next participant whose grace time is over; nil if there is none.
  mutating func nextExpired(now: MonotonicTime) -> ParticipantState? {
    while let deadline = graces.earliest, deadline <= now, let number = graces.popDue(at: now) {
      // The deadline of a participant that has resumed stays in the queue, so such deadlines are skipped.
      guard let participant = states[number], case .away(let until) = participant.presence, until == deadline
      else { continue }
      return participant
    }
    return nil
  }

  /// Ends a participant's presence. The table keeps the state until `retire`.
  mutating func end(_ participant: ParticipantState, _ reason: Departure.Reason) {
    if participant.isWaiting { waiting.removeAll { $0 == participant.number } }
    if participant.isActive { activeCount -= 1 }
    participant.presence = reason == .left ? .left : .past
    colors.remove(participant)
  }

  /// Adds a participant to `past` after its presence ended. A participant that only waited is removed: it never sent an entry, so
  /// nothing refers to it.
  mutating func retire(_ participant: ParticipantState, hasJoined: Bool) {
    if hasJoined { past.append(participant.number) } else { states[participant.number] = nil }
  }

  /// Forgets the oldest past participants beyond the limit. Calls the closure with each participant while its token is still
  /// known.
  mutating func forgetOldest(_ willForget: (ParticipantState) -> Void) {
    let extra = past.count - pastLimit
    guard extra > 0 else { return }
    for number in past.prefix(extra) {
      guard let participant = states.removeValue(forKey: number) else { continue }
      willForget(participant)
      if let digest = participant.digest {
        numberByDigest[digest] = nil
        leftByDigest[digest] = nil
        participant.digest = nil
      }
      if participant.hasRetained { formerSenders[number] = participant.object }
    }
    past.removeFirst(extra)
  }

  /// Returns the senders that are neither active nor waiting, sorted by number. Drops the names of forgotten participants that
  /// are not among the senders.
  mutating func pastSenders(among senders: Set<ParticipantNumber>) -> [Participant] {
    formerSenders = formerSenders.filter { senders.contains($0.key) }
    return senders.sorted().compactMap { number in
      guard let participant = states[number] else { return formerSenders[number] }
      return participant.isActive || participant.isWaiting ? nil : participant.object
    }
  }

  // MARK: - Restoring

  /// Fills an empty table with participants that were read from records.
  ///
  /// - Parameters:
  ///   - participants: all participants; each active one is within its grace time.
  ///   - past: the numbers of the past participants, oldest first.
  mutating func restore(_ participants: some Sequence<ParticipantState>, past: [ParticipantNumber]) {
    var away: [(until: MonotonicTime, number: ParticipantNumber)] = []
    for participant in participants {
      states[participant.number] = participant
      if let digest = participant.digest { numberByDigest[digest] = participant.number }
      guard case .away(let until) = participant.presence else { continue }
      activeCount += 1
      colors.add(participant)
      away.append((until, participant.number))
    }
    for item in away.sorted(by: { ($0.until, $0.number) < ($1.until, $1.number) }) {
      graces.insert(item.number, at: item.until)
    }
    self.past = past
  }
}
