internal import CLinux
internal import Glibc
internal import Networking
internal import Platform

/// The mode `floor`: the CPU time of the kernel for `send` to loopback sockets that are read on another core.
enum FloorRun {
  private static let frameCounts = [1, 2, 4, 8, 16, 64]
  /// The number of rounds that are not measured. A round is one call of `send` for each socket. In the first rounds, TCP sends
  /// quick acknowledgements and the caches are cold.
  private static let warmUpRounds = 20

  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    var listened = clinux_address(high: 0, low: 0x7F00_0001, scope: 0, port: 0, is_v6: 0)
    let listener = OwnedDescriptor(owning: clinux_socket_stream(0))
    guard unsafe clinux_socket_bind(listener.rawValue, &listened) == 0,
      clinux_socket_listen(listener.rawValue, 4_096) == 0,
      unsafe clinux_socket_name(listener.rawValue, &listened) == 0
    else { throw .system(SystemError("listen", code: errno)) }
    let child = try FloorChild(options, port: listened.port)
    let sockets = try accept(options.sockets, from: listener.rawValue)
    defer { for socket in sockets { close(socket) } }

    var report = Report()
    report.add("mode", "mode", "floor")
    report.add("sockets", "sockets", options.sockets)
    report.add("frameBytes", "frame", options.frame, .bytes)
    var total: UInt64 = 0
    for frames in frameCounts {
      let perCall = try run(
        sockets, bytes: frames * options.frame, seconds: options.seconds, child, total: &total)
      report.add(
        "call\(frames)Microseconds", "CPU time of a send of \(frames) frames, per call", perCall,
        .microseconds)
      report.add(
        "frame\(frames)Microseconds", "CPU time of a send of \(frames) frames, per frame",
        perCall / Double(frames),
        .microseconds)
    }
    return report
  }

  private static func accept(_ count: Int, from listener: CInt) throws(BenchError) -> [CInt] {
    var sockets: [CInt] = []
    while sockets.count < count {
      guard clinux_poll(listener, clinux_readable, 10_000_000_000) == 1 else {
        throw .openedTooFew(opened: sockets.count, of: count)
      }
      var peer = clinux_address()
      let socket = unsafe clinux_socket_accept(listener, &peer)
      guard socket >= 0 else { throw .system(SystemError("accept4", code: -socket)) }
      _ = clinux_socket_set_no_delay(socket, 1)
      sockets.append(socket)
    }
    return sockets
  }

  /// Sends data to all sockets in rounds. Each round calls `send` once for each socket. The next round starts when the reading
  /// process has read all bytes. Returns the CPU time of this thread per call, in microseconds.
  private static func run(
    _ sockets: [CInt], bytes: Int, seconds: Double, _ child: borrowing FloorChild, total: inout UInt64
  ) throws(BenchError) -> Double {
    let block = [UInt8](repeating: 0x78, count: bytes)
    var used: UInt64 = 0
    var calls = 0
    var round = 0
    var end: UInt64 = .max
    while Clock.now() < end {
      let before = Clock.ofThread()
      for socket in sockets {
        guard case .sent(bytes) = Socket(socket).send(block.span) else {
          throw .protocolViolation("a send on loopback accepted fewer than \(bytes) bytes")
        }
      }
      let spent = Clock.ofThread() - before
      total += UInt64(bytes * sockets.count)
      try child.wait(for: total)
      round += 1
      if round == warmUpRounds { end = Clock.now() + UInt64(seconds * 1e9) }
      if round > warmUpRounds {
        used += spent
        calls += sockets.count
      }
    }
    return Double(used) / 1e3 / Double(max(1, calls))
  }
}
