internal import CLinux
internal import Networking
internal import Platform
internal import WebSocket

/// All sockets of a run, on one epoll and the current thread.
final class Generator {
  let options: BenchOptions
  let server: ServerURL
  let address: SocketAddress
  let epoll: OwnedDescriptor
  let clientTLS: TLSClientContext?
  /// The number of connections that the gateway accepted before this run. Nil unless the gateway's memory is measured and its
  /// metrics are readable.
  let connectionsBefore: Int?
  var links: [Link] = []
  var sessions: [SessionLoad] = []
  var schedule: Schedule?
  /// True while members send.
  var isSending = false
  var counters = TrafficCounters()
  var maker: MessageMaker
  /// The time of the next check for progress.
  var nextCheck: UInt64 = 0
  /// The number of sockets that became live, which means that their first catch-up has ended.
  var liveCount = 0
  /// The first socket that was closed unexpectedly.
  private var lostLink: Link?
  /// A socket that is read before all others, so that its latency does not include the time of this program's loop.
  var priorityLink: Link?
  /// The uploads of files, each with a socket of its own.
  var uploads: [Upload] = []
  /// Shared by all sockets: the inflater keeps no state between two messages.
  let inflater = Inflater()

  // Shared by all sockets.
  var buffer = [UInt8](repeating: 0, count: 262_144)
  var plaintext: [UInt8] = []
  var ciphertext: [UInt8] = []
  var scratch: [UInt8] = []
  private var ready = [clinux_ready](repeating: clinux_ready(), count: Int(clinux_ready_capacity))

  init(_ options: BenchOptions, maker: MessageMaker) throws(BenchError) {
    guard let server = options.server else { preconditionFailure("the options have no server") }
    self.options = options
    self.server = server
    self.maker = maker
    do throws(AddressError) {
      address = try SocketAddress(server.authority)
    } catch {
      throw .address(server, error)
    }
    clientTLS = try server.isSecure ? ClientTLS.context() : nil
    let descriptor = clinux_epoll_create()
    guard descriptor >= 0 else { throw .system(SystemError("epoll_create1", code: -descriptor)) }
    epoll = OwnedDescriptor(owning: descriptor)
    let showsMetrics = options.process != nil && !options.isPeer
    connectionsBefore =
      try showsMetrics
      ? GatewayMetrics.ask(ServerRequests(server)).map { max(0, Int($0.connectionsAccepted) - 1) } : nil
  }

  /// Runs until a time of the monotonic clock.
  func run(until end: UInt64) throws(BenchError) {
    while Clock.now() < end { try step(until: end) }
  }

  /// Runs until a condition is true, for at most `seconds`. Returns true if the condition is true.
  func run(atMost seconds: Double, until isDone: (Generator) -> Bool) throws(BenchError) -> Bool {
    let end = Clock.now() + UInt64(seconds * 1e9)
    while !isDone(self) {
      guard Clock.now() < end else { return false }
      try step(until: min(end, Clock.now() + 10_000_000))
    }
    return true
  }

  /// Runs until no bytes have arrived for 200 ms, but at most 10 s.
  func settle() throws(BenchError) {
    let end = Clock.now() + 10_000_000_000
    var seen = -1
    while seen != counters.reads, Clock.now() < end {
      seen = counters.reads
      try run(until: Clock.now() + 200_000_000)
    }
  }

  /// Waits for sockets or for the next scheduled message, and handles all events.
  func step(until end: UInt64) throws(BenchError) {
    let now = Clock.now()
    let due = isSending ? min(end, schedule?.due ?? .max) : end
    let wait = due > now ? due - now : 0
    let count = unsafe ready.withUnsafeMutableBufferPointer { ready in
      // A sleep of less than 20 µs costs more CPU time than it saves.
      unsafe clinux_epoll_wait(epoll.rawValue, ready.baseAddress, wait > 20_000 ? Int64(wait) : 0)
    }
    for index in 0..<max(0, Int(count)) {
      let event = ready[index]
      // Messages that became due during this loop are sent here, so that a long loop does not delay them.
      if index & 7 == 7 {
        sendScheduled()
        if let priorityLink { try receive(priorityLink, untilEnd: false) }
      }
      if event.token >= Upload.firstToken {
        try uploads[Int(event.token - Upload.firstToken)].handle(event.events)
      } else {
        try handle(links[Int(event.token)], event.events)
      }
    }
    sendScheduled()
    sendInWindows()
    // If the server has closed a socket, the run ends immediately.
    if let lostLink { throw lostLink.error }
    try checkProgress()
  }

  /// Closes a socket, which is not opened again.
  func close(_ link: Link) {
    guard link.descriptor >= 0 else { return }
    link.close()
    if lostLink == nil, !link.mayBeClosed { lostLink = link }
  }

  private func handle(_ link: Link, _ events: UInt32) throws(BenchError) {
    guard link.descriptor >= 0 else { return }
    if events & clinux_writable != 0 {
      if case .connecting = link.phase {
        try didConnect(link)
      } else if !link.outgoing.isEmpty {
        flush(link)
      }
    }
    if events & (clinux_readable | clinux_hung_up) != 0 {
      try receive(link, untilEnd: events & clinux_hung_up != 0)
    }
  }
}
