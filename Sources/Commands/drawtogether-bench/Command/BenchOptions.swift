/// The options of a run, with their defaults.
struct BenchOptions: Equatable, Sendable {
  /// The pacing of messages.
  enum Pacing: Equatable, Sendable {
    /// Closed loop: the number of messages in flight per sender.
    case window(Int)
    /// Closed loop: the number of messages that one `send` contains. The next `send` follows when all of them are delivered.
    case burst(Int)
    /// Open loop: messages per second and sender.
    case rate(Double)
  }

  let mode: BenchMode
  var server: ServerURL?
  /// The server's process, whose CPU and memory are measured.
  var process: Int32?
  var isPeer = false
  var offersDeflate = false

  var sessions = 1
  var senders = 1
  /// The number of listening members. In the modes `rooms` and `idle`, the number of all members of a session.
  var members = 100
  var sockets = 1_000
  var joins = 1_000
  var snapshotBytes = 262_144
  var entries: Int?
  var readers = 100
  var megabytes = 64

  var window: Int?
  var burst: Int?
  var rate: Double?
  var payload = 64
  var isRetained = false
  var countsEcho = false
  var isLive = false

  var seconds = 5.0
  /// The number of messages to send, instead of a duration.
  var messages: Int?
  var warmUp = 1.0
  var inFlight = 256
  var cpu: Int?
  var readerCPU: Int?
  var port: UInt16 = 0
  var frame = 70
  var isJSON = false

  /// Creates options with the default values of a mode.
  init(mode: BenchMode) {
    self.mode = mode
    switch mode {
    case .rooms: (sessions, members) = (200, 5)
    case .slowReaders: (members, payload) = (10, 4_096)
    case .upload: members = 10
    case .floor: sockets = 1_000
    case .fanOut, .idle, .joinStorm, .floorReader: break
    }
  }

  /// The pacing from the command line, otherwise the default of the mode.
  var pacing: Pacing {
    if let rate { return .rate(rate) }
    if let burst { return .burst(burst) }
    if let window { return .window(window) }
    switch mode {
    case .rooms: return .rate(10)
    case .upload, .joinStorm, .idle: return .rate(60)
    case .slowReaders: return .window(16)
    case .fanOut, .floor, .floorReader: return .window(1)
    }
  }

  /// The number of entries in the snapshot of a join storm.
  var snapshotEntries: Int {
    entries ?? max(1, (snapshotBytes + payload - 1) / payload)
  }
}
