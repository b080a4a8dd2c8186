internal import CLinux
internal import HTTP
internal import Networking
internal import Platform
internal import WebSocket
internal import Wire

extension Generator {
  /// Opens sockets, at most `inFlight` at a time, and returns when all are live.
  func open(_ opening: Range<Int>, inFlight: Int) throws(BenchError) {
    let before = liveCount
    var started = 0
    let end = Clock.now() + 60_000_000_000
    while liveCount - before < opening.count {
      while started < opening.count, started - (liveCount - before) < inFlight {
        try start(links[opening.lowerBound + started])
        started += 1
        // Opening a thousand sockets takes tens of milliseconds, so the events of earlier sockets are handled in between.
        if started & 15 == 0 { try step(until: 0) }
      }
      try step(until: Clock.now() + 10_000_000)
      guard Clock.now() < end else { throw .openedTooFew(opened: liveCount - before, of: opening.count) }
    }
  }

  /// Starts to connect a socket.
  func start(_ link: Link) throws(BenchError) {
    link.startedAt = Clock.now()
    do throws(SystemError) {
      let descriptor = try Socket.connect(to: address)
      link.descriptor = descriptor.release()
      try Socket(link.descriptor).apply(SocketOptions())
    } catch {
      throw .system(error)
    }
    let status = clinux_epoll_add(epoll.rawValue, link.descriptor, UInt64(link.index))
    guard status >= 0 else { throw .system(SystemError("epoll_ctl", code: -status)) }
  }

  /// Handles the end of a connection attempt.
  func didConnect(_ link: Link) throws(BenchError) {
    do throws(SystemError) {
      try Socket(link.descriptor).pendingError()
    } catch {
      throw .system(error)
    }
    guard let clientTLS else { return upgrade(link) }
    let tls = clientTLS.makeConnection(to: server.bareHost)
    link.phase = .securing(tls)
    ciphertext.removeAll(keepingCapacity: true)
    _ = try ClientTLS.run { () throws(TLSError) in
      try tls.receive([UInt8]().span, plaintext: &plaintext, ciphertextOut: &ciphertext)
    }
    transmit(ciphertext, over: link)
  }

  /// Sends the upgrade request.
  func upgrade(_ link: Link) {
    let attempt = UpgradeAttempt(
      subprotocols: options.isPeer ? [] : ["drawtogether.v1"], offersDeflate: options.offersDeflate)
    link.phase = .upgrading(attempt)
    var request = "GET \(link.target) HTTP/1.1\r\nHost: \(server.authority)\r\n"
    for field in attempt.requestFields { request += "\(field.name): \(field.value)\r\n" }
    send(Array((request + "\r\n").utf8), over: link)
  }

  /// Parses the answer to the upgrade request. Returns the bytes after the answer; nil if the answer is incomplete.
  func parseAnswer(
    _ bytes: Span<UInt8>, of link: Link, _ attempt: UpgradeAttempt
  ) throws(BenchError) -> [UInt8]? {
    link.rest.append(bytes)
    var reader = ResponseReader()
    reader.expect(.get)
    var position = 0
    let head: ResponseHead
    do throws(MessageError) {
      let answer = link.rest
      guard let event = try reader.next(in: answer.span, at: &position) else { return nil }
      guard case .head(let found) = event else { throw MessageError.cutShort }
      head = found
    } catch {
      throw .notHTTP
    }
    let names = [
      "Upgrade", "Connection", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions",
    ]
    let fields = names.flatMap { name in head.fields.all(name).map { (name, $0) } }
    do throws(UpgradeResponseError) {
      _ = try attempt.check(status: head.status.code, fields: fields)
    } catch {
      throw .upgrade("\(error)")
    }
    let rest = Array(link.rest[position...])
    link.rest = []
    return rest
  }

  /// Handles the successful upgrade. Sends `join` if the server is a gateway. A plain broadcast server (`isPeer`) needs no
  /// `join`.
  func didUpgrade(_ link: Link) {
    if options.isPeer {
      becomeLive(link)
    } else {
      link.phase = .joining
      var frame: [UInt8] = []
      let join = ClientControl.join(Join(profile: Profile(name: "Bench \(link.index)"))).encoded()
      FrameWriter.append(.text, payload: join.span, maskingKey: MaskingKey(1, 2, 3, 4), to: &frame)
      send(frame, over: link)
    }
  }

  /// Marks a socket as live after its catch-up.
  func becomeLive(_ link: Link) {
    // A slow reader gets further catch-ups when it is already live.
    guard !link.isLive else { return }
    link.phase = .live
    link.liveAt = Clock.now()
    link.wasLive = true
    liveCount += 1
  }
}
