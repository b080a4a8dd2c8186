/// The kind of a measurement: the first word of the command line.
enum BenchMode: String, CaseIterable, Sendable {
  case fanOut = "fan-out"
  case rooms
  case idle
  case joinStorm = "join-storm"
  case slowReaders = "slow-readers"
  case upload
  case floor
  /// The process that `floor` starts. The process reads the bytes that `floor` sends.
  case floorReader = "floor-reader"

  /// The modes that the help lists. `floorReader` is not listed, because only the mode `floor` starts it.
  static let `public` = allCases.filter { $0 != .floorReader }

  /// True for a mode that needs a server.
  var needsServer: Bool {
    switch self {
    case .fanOut, .rooms, .idle, .joinStorm, .slowReaders, .upload: true
    case .floor, .floorReader: false
    }
  }

  /// True for a mode that works with a plain broadcast server.
  var takesPeer: Bool {
    switch self {
    case .fanOut, .rooms, .idle, .joinStorm: true
    case .slowReaders, .upload, .floor, .floorReader: false
    }
  }

  /// The description in the help.
  var help: String {
    switch self {
    case .fanOut: "one session with senders and listening members"
    case .rooms: "many sessions, in which all members send at the same rate, but at random offsets in time"
    case .idle: "silent sockets: memory per socket, and CPU time of all sockets together"
    case .joinStorm: "many members join a session at the same time: time until all have the whole snapshot"
    case .slowReaders: "members that stop reading while entries are sent, and then continue"
    case .upload: "HTTP uploads of files while members draw"
    case .floor: "kernel's CPU time for send calls on loopback, without a server"
    case .floorReader: "the process that `floor` starts to read the sent bytes"
    }
  }
}
