internal import Networking
internal import Platform
internal import WebSocket
internal import Wire

extension Generator {
  /// Takes all that a socket has.
  func receive(_ link: Link, untilEnd: Bool) throws(BenchFailure) {
    while link.descriptor >= 0, link.isReading {
      switch Socket(link.descriptor).receive(into: &buffer) {
      case .received(let count):
        tally.reads += 1
        try take(count, of: link)
        // Less than asked for is all there was, unless the end has come behind it.
        if count < buffer.count, !untilEnd { return }
      case .wouldBlock:
        return
      case .endOfStream, .failed:
        close(link)
      }
    }
  }

  private func take(_ count: Int, of link: Link) throws(BenchFailure) {
    let received = buffer
    let bytes = received.span.extracting(first: count)
    switch link.phase {
    case .securing(let tls):
      try decrypt(bytes, of: link, tls)
      // The answer to the upgrade cannot be here yet.
      if tls.isHandshakeComplete {
        link.tls = tls
        upgrade(link)
      }
    case .connecting, .closed:
      break
    case .upgrading, .joining, .live:
      guard let tls = link.tls else { return try takePlain(bytes, of: link) }
      try decrypt(bytes, of: link, tls)
      let plain = plaintext
      try takePlain(plain.span, of: link)
    }
  }

  private func decrypt(_ bytes: Span<UInt8>, of link: Link, _ tls: TLSConnection) throws(BenchFailure) {
    plaintext.removeAll(keepingCapacity: true)
    ciphertext.removeAll(keepingCapacity: true)
    do throws(TLSError) {
      _ = try tls.receive(bytes, plaintext: &plaintext, ciphertextOut: &ciphertext)
    } catch {
      throw .tls(error.description)
    }
    transmit(ciphertext, over: link)
  }

  private func takePlain(_ bytes: Span<UInt8>, of link: Link) throws(BenchFailure) {
    if case .upgrading(let attempt) = link.phase {
      guard let rest = try takeAnswer(bytes, of: link, attempt) else { return }
      hasUpgraded(link)
      return try takePlain(rest.span, of: link)
    }
    let skipped = min(link.toSkip, bytes.count)
    link.toSkip -= skipped
    let bytes = bytes.extracting(droppingFirst: skipped)
    guard !bytes.isEmpty else { return }
    let now = Clock.now()
    let before = tally.arrivals.delivered
    if link.rest.isEmpty {
      let taken = try takeFrames(bytes, of: link, at: now)
      if taken < bytes.count { link.rest.append(bytes.extracting(droppingFirst: taken)) }
    } else {
      var whole: [UInt8] = []
      swap(&whole, &link.rest)
      whole.append(bytes)
      let taken = try takeFrames(whole.span, of: link, at: now)
      if taken > 0 { whole.removeSubrange(..<taken) }
      swap(&whole, &link.rest)
    }
    let delivered = tally.arrivals.delivered - before
    if delivered > 0, link.session < sessions.count {
      sessions[link.session].take(delivered, at: now)
    }
  }

  /// Takes the whole frames; returns where the first begins that is not all there.
  private func takeFrames(_ bytes: Span<UInt8>, of link: Link, at now: UInt64) throws(BenchFailure) -> Int {
    var offset = 0
    while let frame = try ServerFrame.parse(bytes, at: offset) {
      guard frame.payload.upperBound <= bytes.count else {
        guard link.isSkimming, frame.opcode == .binary else { return offset }
        link.bytesReceived += frame.payload.count
        link.toSkip = frame.payload.upperBound - bytes.count
        return bytes.count
      }
      offset = frame.payload.upperBound
      try take(frame, bytes.extracting(frame.payload), of: link, at: now)
    }
    return offset
  }

  private func take(
    _ frame: ServerFrame, _ payload: Span<UInt8>, of link: Link, at now: UInt64
  ) throws(BenchFailure) {
    switch frame.opcode {
    case .binary where frame.isFinal:
      link.bytesReceived += payload.count
      if link.isSkimming { return }
      if frame.isCompressed { return try takeCompressedEntries(payload, of: link, at: now) }
      try takeEntries(payload, of: link, at: now)
    case .text where frame.isFinal:
      if frame.isCompressed { return try takeCompressedControl(payload, of: link) }
      try takeControl(payload, of: link)
    case .ping:
      answerPing(payload, over: link)
    case .pong:
      break
    case .close:
      link.closeCode = payload.count >= 2 ? Int(payload.uint16(at: 0)) : 1005
      link.closeReason = payload.count > 2 ? WireText.decode(payload.extracting(droppingFirst: 2)) : ""
      close(link)
    case .binary, .text, .continuation:
      throw .protocolFault("a message in several frames")
    }
  }

  // On their own, never inlined: Swift 6.3's optimizer breaks off where an array's span is made in the function above.
  @inline(never)
  private func takeCompressedEntries(
    _ payload: Span<UInt8>, of link: Link, at now: UInt64
  ) throws(BenchFailure) {
    let message = try inflate(payload)
    try takeEntries(message.span, of: link, at: now)
  }

  @inline(never)
  private func takeCompressedControl(_ payload: Span<UInt8>, of link: Link) throws(BenchFailure) {
    let message = try inflate(payload)
    try takeControl(message.span, of: link)
  }

  private func takeEntries(_ message: Span<UInt8>, of link: Link, at now: UInt64) throws(BenchFailure) {
    let reader = Arrivals.Reader(
      index: UInt32(truncatingIfNeeded: link.index), isLive: link.isLive, countsEcho: options.countsEcho)
    if options.isPeer {
      tally.arrivals.take(message: message, reader: reader, at: now)
    } else if !tally.arrivals.take(entries: message, reader: reader, at: now) {
      throw .protocolFault("a message that cannot be cut into entries")
    }
    if let held = link.held { try follow(message, held, of: link) }
  }

  /// Keeps track of what a member holds; few are asked for that.
  private func follow(_ message: Span<UInt8>, _ held: HeldState, of link: Link) throws(BenchFailure) {
    var offset = 0
    while offset < message.count {
      let entry: GatewayEntry
      do throws(WireError) {
        entry = try GatewayEntry.parse(message, at: offset)
      } catch {
        throw .protocolFault("\(error)")
      }
      offset = entry.end
      held.take(entry)
      link.lastSequence = max(link.lastSequence, entry.sequence)
    }
  }

  private func inflate(_ payload: Span<UInt8>) throws(BenchFailure) -> [UInt8] {
    do throws(ProtocolError) {
      return try inflater.inflate(payload, limit: 16 << 20)
    } catch {
      throw .protocolFault("\(error)")
    }
  }
}
