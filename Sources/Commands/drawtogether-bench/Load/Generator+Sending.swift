internal import Networking
internal import Platform

extension Generator {
  /// Sends the messages whose scheduled time has come. Only an open loop has a schedule: it sends at a fixed rate, without
  /// waiting for deliveries.
  func sendScheduled() {
    guard isSending, schedule != nil else { return }
    // One call sends at most 256 messages, even if more messages are overdue. Otherwise, the generator would not read received
    // messages in time.
    for _ in 0..<256 {
      let now = Clock.now()
      guard let due = schedule?.due, due <= now, let index = schedule?.take() else { return }
      counters.lateness.record(now - due)
      if now - due > Schedule.maximumDelay {
        counters.skipped += 1
      } else {
        // The latency starts when the message is due. A late generator must not make the server look faster than it is.
        send(1, from: links[index], dueAt: due)
      }
    }
  }

  /// Sends messages in a closed loop: each session sends as many messages as its window or burst allows, and then waits until
  /// earlier messages are delivered.
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
          send(1, from: links[sessions[index].takeSender()])
          room -= 1
        }
      }
    }
  }

  /// Throws if no messages have arrived for 5 s. Without this check, a closed loop would wait forever, and an open loop would
  /// wait until the end of the run.
  func checkProgress() throws(BenchError) {
    let now = Clock.now()
    guard isSending, now > nextCheck else { return }
    nextCheck = now + 1_000_000_000
    guard sessions.allSatisfy({ now > $0.lastProgress + 5_000_000_000 }) else { return }
    let expected = sessions.reduce(0) { $0 + $1.sent * $1.deliveriesEach }
    let delivered = sessions.reduce(0) { $0 + $1.delivered }
    guard expected <= delivered else { throw .stalled(expected: expected, delivered: delivered) }
  }

  /// Starts sending.
  func beginSending() {
    isSending = true
    let now = Clock.now()
    for index in sessions.indices { sessions[index].record(0, at: now) }
    if case .rate(let rate) = options.pacing {
      schedule = Schedule(links: sessions.flatMap(\.senders), rate: rate, start: now)
    }
  }

  /// Sends messages from one sender in one call. The latency of each message is measured from `dueAt`, or from the current time
  /// if `dueAt` is nil.
  func send(_ count: Int, from link: Link, dueAt: UInt64? = nil) {
    guard link.isLive else { return }
    scratch.removeAll(keepingCapacity: true)
    for _ in 0..<count { maker.append(to: &scratch, sender: link, time: dueAt ?? Clock.now()) }
    counters.sent += count
    if link.session < sessions.count { sessions[link.session].sent += count }
    send(scratch, over: link)
  }

  /// Sends bytes, encrypted if the socket uses TLS.
  func send(_ bytes: [UInt8], over link: Link) {
    guard let tls = link.tls else { return transmit(bytes, over: link) }
    ciphertext.removeAll(keepingCapacity: true)
    var rest = bytes.span
    while !rest.isEmpty {
      let piece = rest.extracting(first: TLSConnection.encryptLimitInBytes)
      // Encryption fails only on a broken connection, which the next read closes.
      do throws(TLSError) { try tls.encrypt(piece, into: &ciphertext) } catch { return }
      rest = rest.extracting(droppingFirst: piece.count)
    }
    transmit(ciphertext, over: link)
  }

  /// Sends raw bytes; buffers bytes that the socket does not accept.
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
      counters.blocked += 1
      link.outgoing = Array(bytes[count...])
    case .wouldBlock:
      counters.blocked += 1
      link.outgoing = bytes
    case .failed:
      close(link)
    }
  }

  /// Sends buffered bytes.
  func flush(_ link: Link) {
    let waiting = link.outgoing
    link.outgoing = []
    transmit(waiting, over: link)
  }
}
