/// What a run does, by the first word of the command line.
enum BenchMode: String, CaseIterable, Sendable {
  case fanOut = "fan-out"
  case rooms
  case idle
  case joinStorm = "join-storm"
  case slowReaders = "slow-readers"
  case upload
  case floor
  /// The other side of `floor`, which it starts itself.
  case floorReader = "floor-reader"

  /// Those that a person asks for.
  static let asked = allCases.filter { $0 != .floorReader }

  /// Whether it speaks to a server.
  var needsServer: Bool {
    switch self {
    case .fanOut, .rooms, .idle, .joinStorm, .slowReaders, .upload: true
    case .floor, .floorReader: false
    }
  }

  /// Whether a plain broadcast server will do.
  var takesPeer: Bool {
    switch self {
    case .fanOut, .rooms, .idle, .joinStorm: true
    case .slowReaders, .upload, .floor, .floorReader: false
    }
  }

  /// In a line of the help.
  var help: String {
    switch self {
    case .fanOut: "one session: senders, and members that only listen"
    case .rooms: "many sessions in which everyone sends at a rate, at phases by chance"
    case .idle: "sockets that joined and are silent: what each costs in memory, and all in CPU"
    case .joinStorm: "many who join one session at once: until all have all of it"
    case .slowReaders: "members that do not read while megabytes pass, and then do"
    case .upload: "files by HTTP beside drawing"
    case .floor: "what the kernel alone takes for send on loopback; no server"
    case .floorReader: "the reading side of floor"
    }
  }
}
