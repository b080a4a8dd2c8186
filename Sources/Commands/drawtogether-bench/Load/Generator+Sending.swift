internal import Networking
internal import Platform

extension Generator {
  /// Sends the messages of an open loop that are due.
  func sendScheduled() {
    guard isSending, schedule != nil else { return }
    // Bounded, for reading must go on when all are late.
    for _ in 0..<256 {
      let now = Clock.now()
      guard let due = schedule?.due, due <= now, let index = schedule?.take() else { return }
      tally.lateness.record(now - due)
      if now - due > Schedule.patience {
        tally.skipped += 1
      } else {
        sendOne(from: links[index])
      }
    }
  }

  /// Sends what the closed loops of sessions have room for.
  func sendInWindows() {
    guard isSending, schedule == nil else { return }
    let pacing = options.pacing
    for index in sessions.indices where sessions[index].isDue {
      sessions[index].isDue = false
      var room = sessions[index].room(pacing)
      guard room > 0 else { continue }
      if case .burst = pacing {
        let sender = links[sessions[index].takeSender()]
        send(room, from: sender)
      } else {
        while room > 0 {
          sendOne(from: links[sessions[index].takeSender()])
          room -= 1
        }
      }
    }
  }

  /// A closed loop in which nothing comes would wait for ever, and an open one until the run is over.
  func checkProgress() throws(BenchFailure) {
    let now = Clock.now()
    guard isSending, now > nextCheck else { return }
    nextCheck = now + 1_000_000_000
    guard sessions.allSatisfy({ now > $0.lastProgress + 5_000_000_000 }) else { return }
    let expected = sessions.reduce(0) { $0 + $1.sent * $1.deliveriesEach }
    let delivered = sessions.reduce(0) { $0 + $1.delivered }
    guard expected <= delivered else { throw .stalled(expected: expected, delivered: delivered) }
  }

  /// Has members begin to send.
  func beginSending() {
    isSending = true
    let now = Clock.now()
    for index in sessions.indices { sessions[index].take(0, at: now) }
    if case .rate(let rate) = options.pacing {
      schedule = Schedule(links: sessions.flatMap(\.senders), rate: rate, start: now)
    }
  }

  /// Sends a message of one sender.
  func sendOne(from link: Link) {
    send(1, from: link)
  }

  /// Sends so many messages of one sender in one call.
  func send(_ count: Int, from link: Link) {
    guard link.isLive else { return }
    scratch.removeAll(keepingCapacity: true)
    for _ in 0..<count { maker.append(to: &scratch, sender: link) }
    tally.sent += count
    if link.session < sessions.count { sessions[link.session].sent += count }
    send(scratch, over: link)
  }

  /// Sends bytes, under TLS where there is.
  func send(_ bytes: [UInt8], over link: Link) {
    guard let tls = link.tls else { return transmit(bytes, over: link) }
    ciphertext.removeAll(keepingCapacity: true)
    var rest = bytes.span
    while !rest.isEmpty {
      let piece = rest.extracting(first: TLSConnection.encryptLimitInBytes)
      // It fails only on a connection that has failed, which is closed with the next read.
      do throws(TLSError) { try tls.encrypt(piece, into: &ciphertext) } catch { return }
      rest = rest.extracting(droppingFirst: piece.count)
    }
    transmit(ciphertext, over: link)
  }

  /// Sends bytes as they are; what the socket does not take waits.
  func transmit(_ bytes: [UInt8], over link: Link) {
    guard link.descriptor >= 0, !bytes.isEmpty else { return }
    guard link.outgoing.isEmpty else {
      link.outgoing.append(contentsOf: bytes)
      return
    }
    switch Socket(link.descriptor).send(bytes.span) {
    case .sent(let count) where count == bytes.count:
      break
    case .sent(let count):
      tally.blocked += 1
      link.outgoing = Array(bytes[count...])
    case .wouldBlock:
      tally.blocked += 1
      link.outgoing = bytes
    case .failed:
      close(link)
    }
  }

  /// Sends what waits, now that there is room.
  func flush(_ link: Link) {
    let waiting = link.outgoing
    link.outgoing = []
    transmit(waiting, over: link)
  }
}
