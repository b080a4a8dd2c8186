/// What was asked for on the command line, with the defaults.
struct BenchOptions: Equatable, Sendable {
  /// When messages are sent.
  enum Pacing: Equatable, Sendable {
    /// Closed loop: as many messages of each sender are on their way.
    case window(Int)
    /// Closed loop: as many in one `send`, once all before have come everywhere.
    case burst(Int)
    /// Open loop: as many a second by each sender.
    case rate(Double)
  }

  let mode: BenchMode
  var server: ServerURL?
  /// The server's process, whose CPU and memory are looked at.
  var process: Int32?
  var isPeer = false
  var offersDeflate = false

  var sessions = 1
  var senders = 1
  /// Those who only listen; in `rooms` and `idle` everyone in a session.
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
  /// So many messages instead of a time.
  var messages: Int?
  var warmUp = 1.0
  var inFlight = 256
  var cpu: Int?
  var readerCPU: Int?
  var port: UInt16 = 0
  var frame = 70
  var isJSON = false

  /// The defaults of a mode.
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

  /// When messages are sent: what was asked for, else what suits the mode.
  var pacing: Pacing {
    if let rate { return .rate(rate) }
    if let burst { return .burst(burst) }
    if let window { return .window(window) }
    switch mode {
    case .rooms: return .rate(10)
    case .upload, .joinStorm: return .rate(60)
    case .slowReaders: return .window(16)
    case .fanOut, .idle, .floor, .floorReader: return .window(1)
    }
  }

  /// How many entries make the snapshot of a join storm.
  var snapshotEntries: Int {
    entries ?? max(1, (snapshotBytes + payload - 1) / payload)
  }
}
