internal import CLinux
internal import Networking
internal import Platform
internal import WebSocket

/// All sockets of a run, on one epoll and one thread: this one.
final class Generator {
  let options: BenchOptions
  let server: ServerURL
  let address: SocketAddress
  let epoll: OwnedDescriptor
  let clientTLS: TLSClientContext?
  /// How many connections the gateway had had before this run, where its memory is looked at and it tells.
  let connectionsBefore: Int?
  var links: [Link] = []
  var sessions: [SessionLoad] = []
  var schedule: Schedule?
  /// Whether members send.
  var isSending = false
  var tally = Tally()
  var maker: MessageMaker
  /// When the sessions are looked at again for whether something comes.
  var nextCheck: UInt64 = 0
  /// How many sockets have become live.
  var liveCount = 0
  /// The first that was closed, by the server or by a fault, and may not be.
  private var lost: Link?
  /// A socket that is read before others, however many are ready: its latency is not to be that of our own turn.
  var favorite: Link?
  /// Uploads beside the sockets.
  var uploads: [Upload] = []
  /// One a run: an inflater keeps nothing between two messages.
  let inflater = Inflater()

  // Shared by all sockets.
  var buffer = [UInt8](repeating: 0, count: 262_144)
  var plaintext: [UInt8] = []
  var ciphertext: [UInt8] = []
  var scratch: [UInt8] = []
  private var ready = [clinux_ready](repeating: clinux_ready(), count: Int(clinux_ready_capacity))

  init(_ options: BenchOptions, maker: MessageMaker) throws(BenchFailure) {
    guard let server = options.server else { preconditionFailure("the options were checked for a server") }
    self.options = options
    self.server = server
    self.maker = maker
    do throws(AddressError) {
      address = try SocketAddress(server.authority)
    } catch {
      throw .address(server, error)
    }
    clientTLS = try server.isSecure ? Secure.context() : nil
    let descriptor = clinux_epoll_create()
    guard descriptor >= 0 else { throw .system(SystemError("epoll_create1", code: -descriptor)) }
    epoll = OwnedDescriptor(owning: descriptor)
    let isToldOf = options.process != nil && !options.isPeer
    connectionsBefore =
      try isToldOf
      ? GatewayMetrics.ask(HTTPClient(server)).map { max(0, Int($0.connectionsAccepted) - 1) } : nil
  }

  /// Runs until a moment on the monotonic clock.
  func run(until end: UInt64) throws(BenchFailure) {
    while Clock.now() < end { try step(until: end) }
  }

  /// Runs until something is so, at most some seconds; says whether it came to be so.
  func run(atMost seconds: Double, until isDone: (Generator) -> Bool) throws(BenchFailure) -> Bool {
    let end = Clock.now() + UInt64(seconds * 1e9)
    while !isDone(self) {
      guard Clock.now() < end else { return false }
      try step(until: min(end, Clock.now() + 10_000_000))
    }
    return true
  }

  /// Runs until nothing has come for 200 ms, at most 10 s.
  func settle() throws(BenchFailure) {
    let end = Clock.now() + 10_000_000_000
    var seen = -1
    while seen != tally.reads, Clock.now() < end {
      seen = tally.reads
      try run(until: Clock.now() + 200_000_000)
    }
  }

  /// One wait for sockets, or for what is due, and all that comes of it.
  func step(until end: UInt64) throws(BenchFailure) {
    let now = Clock.now()
    let due = isSending ? min(end, schedule?.due ?? .max) : end
    let wait = due > now ? due - now : 0
    let count = unsafe ready.withUnsafeMutableBufferPointer { ready in
      // To sleep for less costs more than it saves.
      unsafe clinux_epoll_wait(epoll.rawValue, ready.baseAddress, wait > 20_000 ? Int64(wait) : 0)
    }
    for index in 0..<max(0, Int(count)) {
      let event = ready[index]
      // So that a long turn makes nobody late.
      if index & 7 == 7 {
        sendScheduled()
        if let favorite { try receive(favorite, untilEnd: false) }
      }
      if event.token >= Upload.firstToken {
        try uploads[Int(event.token - Upload.firstToken)].handle(event.events)
      } else {
        try handle(links[Int(event.token)], event.events)
      }
    }
    sendScheduled()
    sendInWindows()
    // A server that is gone is not waited for until the run would be over.
    if let lost { throw lost.failure }
    try checkProgress()
  }

  /// Closes a socket for good.
  func close(_ link: Link) {
    guard link.descriptor >= 0 else { return }
    link.close()
    if lost == nil, !link.mayBeClosed { lost = link }
  }

  private func handle(_ link: Link, _ events: UInt32) throws(BenchFailure) {
    guard link.descriptor >= 0 else { return }
    if events & clinux_writable != 0 {
      if case .connecting = link.phase {
        try hasConnected(link)
      } else if !link.outgoing.isEmpty {
        flush(link)
      }
    }
    if events & (clinux_readable | clinux_hung_up) != 0 {
      try receive(link, untilEnd: events & clinux_hung_up != 0)
    }
  }
}
