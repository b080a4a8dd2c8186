import Primitives
import SessionClient
import FoundationEssentials
import Platform
import Wire

@testable import SessionCore

/// At the end: whether everybody was told everything once, and all are of one mind.
extension SessionSimulation {
  func comeToRest() throws {
    session.refusesGrowth = false
    // Who waits for the disk need not read for that.
    try settle { self.marks.allSatisfy { self.clients[$1].reachedMarks.contains($0) } }
    for client in clients { client.session.reading(true, now: now) }
    try settle {
      self.session.tick(now: self.now)
      return !self.session.hasUnsaved && self.underWay == nil
        && self.clients.allSatisfy { $0.isCaughtUp && $0.isSettled }
        && self.sockets.values.allSatisfy { $0.uplink.isEmpty && $0.downlink.isEmpty }
    }
    try settle { self.clients.allSatisfy { $0.activity == self.session.activity } }
    let late = try welcomeLate()
    try checkMessages(late)
    try checkState(late)
    for (mark, client) in marks {
      try require(clients[client].reachedMarks.contains(mark), "mark \(mark) of C\(client) was not reached")
    }
    try leave()
  }

  /// Somebody comes at the end, and is told what the session keeps.
  private func welcomeLate() throws -> SimulatedClient {
    let late = SimulatedClient(index: clients.count, now: now, seed: seed)
    clients.append(late)
    late.gate.open()
    late.session.join(now: now)
    try settle { self.clients.allSatisfy { $0.people.contains { $0.id == late.me?.id } && $0.isCaughtUp } }
    return late
  }

  private func checkMessages(_ late: SimulatedClient) throws {
    for sender in clients {
      for receiver in clients where receiver !== sender {
        let told = receiver.told["C\(sender.index)"] ?? []
        let known = Set(told)
        for message in sender.sent where message.entry.retention != .remove {
          let words = "\(message.index) of C\(sender.index) to C\(receiver.index)"
          let isHis = message.targets.map { !$0.isDisjoint(with: receiver.ids) } ?? true
          if known.contains(message.index) {
            try require(isHis, "\(words) was for others")
            continue
          }
          // Under a key of its own it is kept for everybody; what is not kept is missed by who was told a snapshot.
          let isKept = message.entry.retention == .append && message.entry.key.high != 99
          let isThere =
            message.targets == nil || limits.graceSeconds > 1_000 && receiver.ids.count == 1
          let isMissed = receiver === late || receiver.snapshots > 1 || message.index < sender.early
          let mustBeTold = isKept || isHis && isThere && !isMissed
          try require(
            !mustBeTold,
            "\(words) was never told: \(message.entry.retention), for \(message.targets as Any), early \(sender.early)"
          )
        }
      }
    }
  }

  private func checkState(_ late: SimulatedClient) throws {
    let expected = late.retained
    for client in clients {
      try require(
        client.retained == expected, "C\(client.index) holds \(client.retained), the session \(expected)")
      try require(client.activity == session.activity, "C\(client.index) does \(client.activity as Any)")
      let people = client.people.map { "\($0.number) \($0.name) \($0.color)" }
      let active = session.participants.values.filter(\.isActive).map(\.object)
        .sorted { $0.number < $1.number }.map { "\($0.number) \($0.name) \($0.color)" }
      try require(people == active, "C\(client.index) sees \(people), not \(active)")
      // Each change of an activity came in the order of its sender, once and again at most where it was in doubt.
      let set = titles.filter { client.titles.contains($0) }
      var distinct: [String] = []
      for title in set where distinct.last != title { distinct.append(title) }
      if crashes == 0 {
        try require(
          distinct == client.titles, "C\(client.index) set \(client.titles), the session \(distinct)")
      }
    }
    for sequence in expected.values.joined() {
      try require(sequence <= session.sequence, "\(sequence) is not in the order")
    }
  }

  private func leave() throws {
    for client in clients {
      client.hasLeft = true
      if weather.pauses {
        client.session.reading(false, now: now)
        try say(client)
      }
      client.session.leave(now: now)
      try perform(client)
    }
    let began = now
    try settle { self.clients.allSatisfy(\.isFinished) }
    try require(weather.isSlow || now - began < .seconds(4), "leaving took \(now - began)")
    try require(
      clients.allSatisfy { client in client.me.map { session.participants[$0.number]?.isActive } == false },
      "somebody left, and is still there")
  }
}
