import Primitives
import SessionClient
import FoundationEssentials
import Platform
import Wire

@testable import SessionCore

/// The checks at the end: each message was received once, and all clients agree with the session.
extension SessionSimulation {
  func settleAndCheck() throws {
    session.refusesGrowth = false
    // Each client must reach its pending marks (`ClientSession.mark`), even while its reading is paused. A mark is reached when
    // all earlier messages of the client are on the gateway's disk.
    try runUntil { self.marks.allSatisfy { self.clients[$1].reachedMarks.contains($0) } }
    for client in clients { client.session.setReading(true, now: now) }
    try runUntil {
      self.session.tick(now: self.now)
      return !self.session.hasUnsaved && self.pendingSave == nil
        && self.clients.allSatisfy { $0.isCaughtUp && $0.isSettled }
        && self.sockets.values.allSatisfy { $0.uplink.isEmpty && $0.downlink.isEmpty }
    }
    try runUntil { self.clients.allSatisfy { $0.activity == self.session.activity } }
    let late = try addLateClient()
    try checkMessages(late)
    try checkState(late)
    for (mark, client) in marks {
      try require(clients[client].reachedMarks.contains(mark), "mark \(mark) of C\(client) was not reached")
    }
    try leave()
  }

  /// Adds a client after all random steps. Its snapshot contains the retained entries.
  private func addLateClient() throws -> SimulatedClient {
    let late = SimulatedClient(index: clients.count, now: now, seed: seed)
    clients.append(late)
    late.gate.open()
    late.session.join(now: now)
    try runUntil { self.clients.allSatisfy { $0.people.contains { $0.id == late.me?.id } && $0.isCaughtUp } }
    return late
  }

  private func checkMessages(_ late: SimulatedClient) throws {
    for sender in clients {
      for receiver in clients where receiver !== sender {
        let received = receiver.received["C\(sender.index)"] ?? []
        let known = Set(received)
        for message in sender.sent where message.entry.retention != .remove {
          let words = "\(message.index) of C\(sender.index) to C\(receiver.index)"
          let isReceiver = message.targets.map { !$0.isDisjoint(with: receiver.ids) } ?? true
          if known.contains(message.index) {
            try require(isReceiver, "\(words) was received, but has other targets")
            continue
          }
          // An entry that was appended under a unique key is retained, so every client must receive it. A client that got a
          // snapshot may miss entries that are not retained.
          let isKept = message.entry.retention == .append && message.entry.key.high != 99
          let isPresent =
            message.targets == nil || limits.graceSeconds > 1_000 && receiver.ids.count == 1
          let isMissed = receiver === late || receiver.snapshots > 1 || message.index < sender.sentBeforeStart
          let mustBeReceived = isKept || isReceiver && isPresent && !isMissed
          try require(
            !mustBeReceived,
            "\(words) was not received: \(message.entry.retention), for \(message.targets as Any), early \(sender.sentBeforeStart)"
          )
        }
      }
    }
  }

  private func checkState(_ late: SimulatedClient) throws {
    let expected = late.retained
    for client in clients {
      try require(
        client.retained == expected,
        "C\(client.index) retains \(client.retained), but the session \(expected)")
      try require(
        client.activity == session.activity, "C\(client.index) has activity \(client.activity as Any)")
      let people = client.people.map { "\($0.number) \($0.name) \($0.color)" }
      let active = session.participants.values.filter(\.isActive).map(\.object)
        .sorted { $0.number < $1.number }.map { "\($0.number) \($0.name) \($0.color)" }
      try require(people == active, "C\(client.index) has participants \(people), not \(active)")
      // The session applied each client's activity changes in the order in which they were made. Only a change whose
      // result the client does not know may be applied twice.
      let set = titles.filter { client.titles.contains($0) }
      var distinct: [String] = []
      for title in set where distinct.last != title { distinct.append(title) }
      if crashes == 0 {
        try require(
          distinct == client.titles,
          "C\(client.index) set \(client.titles), but the session applied \(distinct)")
      }
    }
    for sequence in expected.values.joined() {
      try require(sequence <= session.sequence, "\(sequence) is above the session's last sequence")
    }
  }

  private func leave() throws {
    for client in clients {
      client.hasLeft = true
      if conditions.pausesReading {
        client.session.setReading(false, now: now)
        try sendMessages(client)
      }
      client.session.leave(now: now)
      try perform(client)
    }
    let began = now
    try runUntil { self.clients.allSatisfy(\.isFinished) }
    try require(conditions.hasLowRate || now - began < .seconds(4), "leaving took \(now - began)")
    try require(
      clients.allSatisfy { client in client.me.map { session.participants[$0.number]?.isActive } == false },
      "a client that left is still active")
  }
}
