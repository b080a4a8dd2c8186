internal import Networking
internal import Platform
internal import WebSocket
internal import Wire

extension Generator {
  /// Reads a socket until it is empty; with `untilEnd`, until the stream ends.
  func receive(_ link: Link, untilEnd: Bool) throws(BenchError) {
    while link.descriptor >= 0, link.isReading {
      switch Socket(link.descriptor).receive(into: &buffer) {
      case .received(let count):
        counters.reads += 1
        try take(count, of: link)
        // A short read means that the socket is empty, unless the stream has ended.
        if count < buffer.count, !untilEnd { return }
      case .wouldBlock:
        return
      case .endOfStream, .failed:
        close(link)
      }
    }
  }

  private func take(_ count: Int, of link: Link) throws(BenchError) {
    let received = buffer
    let bytes = received.span.extracting(first: count)
    switch link.phase {
    case .securing(let tls):
      try decrypt(bytes, of: link, tls)
      // The decrypted bytes cannot contain an answer, because the upgrade request is sent only now.
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

  private func decrypt(_ bytes: Span<UInt8>, of link: Link, _ tls: TLSConnection) throws(BenchError) {
    plaintext.removeAll(keepingCapacity: true)
    ciphertext.removeAll(keepingCapacity: true)
    do throws(TLSError) {
      _ = try tls.receive(bytes, plaintext: &plaintext, ciphertextOut: &ciphertext)
    } catch {
      throw .tls(error.description)
    }
    transmit(ciphertext, over: link)
  }

  private func takePlain(_ bytes: Span<UInt8>, of link: Link) throws(BenchError) {
    if case .upgrading(let attempt) = link.phase {
      guard let rest = try parseAnswer(bytes, of: link, attempt) else { return }
      didUpgrade(link)
      return try takePlain(rest.span, of: link)
    }
    let skipped = min(link.toSkip, bytes.count)
    link.toSkip -= skipped
    let bytes = bytes.extracting(droppingFirst: skipped)
    guard !bytes.isEmpty else { return }
    let now = Clock.now()
    let before = counters.deliveries.delivered
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
    let delivered = counters.deliveries.delivered - before
    if delivered > 0, link.session < sessions.count {
      sessions[link.session].record(delivered, at: now)
    }
  }

  /// Handles the complete frames. Returns the offset of the first incomplete frame.
  private func takeFrames(_ bytes: Span<UInt8>, of link: Link, at now: UInt64) throws(BenchError) -> Int {
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
  ) throws(BenchError) {
    switch frame.opcode {
    case .binary where frame.isFinal:
      link.bytesReceived += payload.count
      if link.isSkimming { return }
      if frame.isCompressed { return try takeCompressedEntries(payload, of: link, at: now) }
      try takeEntries(payload, of: link, at: now)
    case .text where frame.isFinal:
      if frame.isCompressed { return try handleCompressedControl(payload, of: link) }
      try handleControl(payload, of: link)
    case .ping:
      answerPing(payload, over: link)
    case .pong:
      break
    case .close:
      link.closeCode = payload.count >= 2 ? Int(payload.uint16(at: 0)) : 1005
      link.closeReason = payload.count > 2 ? WireText.decode(payload.extracting(droppingFirst: 2)) : ""
      close(link)
    case .binary, .text, .continuation:
      throw .protocolViolation("a message arrived in several frames")
    }
  }

  // This function is separate from `take`, and is never inlined. Otherwise the span of an array would be created inside `take`,
  // and Swift 6.3's optimizer would crash.
  @inline(never)
  private func takeCompressedEntries(
    _ payload: Span<UInt8>, of link: Link, at now: UInt64
  ) throws(BenchError) {
    let message = try inflate(payload)
    try takeEntries(message.span, of: link, at: now)
  }

  @inline(never)
  private func handleCompressedControl(_ payload: Span<UInt8>, of link: Link) throws(BenchError) {
    let message = try inflate(payload)
    try handleControl(message.span, of: link)
  }

  private func takeEntries(_ message: Span<UInt8>, of link: Link, at now: UInt64) throws(BenchError) {
    let reader = DeliveryCounter.Reader(
      index: UInt32(truncatingIfNeeded: link.index), isLive: link.isLive, countsEcho: options.countsEcho)
    if options.isPeer {
      counters.deliveries.count(message: message, reader: reader, at: now)
    } else if !counters.deliveries.count(entries: message, reader: reader, at: now) {
      throw .protocolViolation("a message does not consist of whole entries")
    }
    if let retained = link.retained { try follow(message, retained, of: link) }
  }

  /// Updates the retained sequences of a member. Only some members record them.
  private func follow(_ message: Span<UInt8>, _ retained: RetainedSequences, of link: Link) throws(BenchError)
  {
    var offset = 0
    while offset < message.count {
      let entry: GatewayEntry
      do throws(WireError) {
        entry = try GatewayEntry.parse(message, at: offset)
      } catch {
        throw .protocolViolation("\(error)")
      }
      offset = entry.end
      retained.record(entry)
      link.lastSequence = max(link.lastSequence, entry.sequence)
    }
  }

  private func inflate(_ payload: Span<UInt8>) throws(BenchError) -> [UInt8] {
    do throws(ProtocolError) {
      return try inflater.inflate(payload, limit: 16 << 20)
    } catch {
      throw .protocolViolation("\(error)")
    }
  }
}
