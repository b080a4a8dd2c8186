import Primitives
import SessionCore
import Wire

/// The end of a simulation: all clients reconnect and send their remaining entries, and then all have the same state.
extension Simulation {
  /// Reconnects all clients and lets them send their remaining entries, until the gateway has committed all entries and all
  /// clients have received them. Then checks that all clients have the same state.
  func comeToRest() throws {
    for round in 1...400 {
      // After a snapshot, a client does not always know if one of its earlier entries was accepted, because the snapshot may lack
      // this entry. The next `joined` tells the client. So clients that are still waiting reconnect at intervals.
      if round % 50 == 0 { for client in clients where !client.isSettled { cut(client) } }
      noticeCuts()
      for client in clients {
        connect(client)
        if client.isQuotaRefused, now >= client.waitUntil { makeRoom(client) }
        let entries = client.takeToSend(8, now: now)
        if !entries.isEmpty { client.socket?.uplink.append(.entries(entries)) }
      }
      for connection in sockets.keys.sorted() {
        while let socket = sockets[connection], !socket.uplink.isEmpty {
          try receive(socket.uplink.removeFirst(), from: socket)
        }
      }
      try endTurn()
      try saveAll()
      for client in clients {
        for _ in 0..<200 where client.socket?.kernel.isEmpty == false {
          try readAtClient(client, all: true)
        }
      }
      let isCalm = clients.allSatisfy { $0.hasLeft || $0.isSettled } && away.isEmpty
      if isCalm, !session.needsTurn, !isPresenceDue {
        try checkAgreement()
        // A pause announces an upload's offset in a reliable entry, so all clients then have the same offset.
        guard try pauseUploads() else { return try checkAttachments() }
      }
      if isFullOfAttachments { try removeOneAttachment() }
      try passTime(ticks: 2)
    }
    let restless = clients.filter { !$0.hasLeft && !$0.isSettled }
    let words = restless.map { client in
      let first = client.kept.first.map { "\($0.entry.clientSequence) at \($0.sequence ?? 0)" } ?? "nothing"
      return
        "\(client.name): caught up \(client.isCaughtUp), first kept entry \(first), committed \(client.committed)"
    }
    throw Violation("the simulation does not settle: \(words), \(session.sequence) \(session.committed)")
  }

  private func checkAgreement() throws {
    let state = oracle.state(at: oracle.sequence)
    try require(
      session.retainedBytes == oracle.heldBytes, "\(session.retainedBytes) bytes, not \(oracle.heldBytes)")
    for client in clients where !client.hasLeft {
      try require(client.state == state, "P3: \(client.name) holds \(client.state), not \(state)")
      try require(
        client.people.mapValues(\.name) == here, "P8: \(client.name) sees \(client.people), not \(here)")
      try require(client.waiting.isEmpty, "\(client.name) sees \(client.waiting) as waiting")
      try require(client.title == title, "\(client.name) has the activity \(client.title), not \(title)")
    }
    try checkOnce()
  }

  /// Checks P1 and P2: each entry of a client is in the order once, after all earlier entries of that client.
  private func checkOnce() throws {
    var accepted: [Int: UInt64] = [:]
    var lastOfSender: [ParticipantNumber: UInt32] = [:]
    var lastIntention: [ParticipantNumber: Int] = [:]
    for entry in oracle.log where entry.sender != 0 {
      try require(
        entry.clientSequence > lastOfSender[entry.sender] ?? 0, "P1: \(entry) is out of its sender's order")
      lastOfSender[entry.sender] = entry.clientSequence
      guard let intention = Int(String(decoding: entry.type.dropFirst(), as: UTF8.self)) else { continue }
      try require(
        accepted.updateValue(entry.sequence, forKey: intention) == nil, "P2: \(entry) is in the order twice")
      guard !removals.contains(intention) else { continue }
      try require(
        intention > lastIntention[entry.sender] ?? -1,
        "P1: \(entry) is in the order after an entry that its sender created later")
      lastIntention[entry.sender] = intention
    }
    for (intention, (client, isGood)) in intentions where !clients[client].hasLeft {
      try require(
        (accepted[intention] != nil) == isGood,
        "P2: intention \(intention) of C\(client) should be in the order: \(isGood), but the opposite is true"
      )
    }
  }
}
