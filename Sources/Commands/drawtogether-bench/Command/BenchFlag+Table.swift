extension BenchFlag {
  private static let drawing: [BenchMode] = [.fanOut, .rooms, .upload]
  private static let served = BenchMode.allCases.filter(\.needsServer)

  /// Every flag, in the order of the help.
  static let all: [BenchFlag] = toServer + crowd + load + run

  private static let toServer: [BenchFlag] = [
    BenchFlag(
      name: "--server", placeholder: "URL", accepted: "http://, https://, ws:// or wss://, a host and a port",
      help: "where the server is; its certificate is not checked", modes: served
    ) { options, text in
      options.server = ServerURL(text)
      return options.server != nil
    },
    BenchFlag(
      name: "--pid", placeholder: "P", accepted: "the number of a process",
      help: "the server's process on this machine: adds its CPU and memory", modes: served
    ) { options, text in
      guard let number = Int32(text), number > 0 else { return false }
      options.process = number
      return true
    },
    .mark(
      "--peer", \.isPeer, served.filter(\.takesPeer),
      "the server is no gateway: it sends each binary message of /room/N to the others there"),
    .mark("--deflate", \.offersDeflate, served, "offer permessage-deflate"),
  ]

  private static let crowd: [BenchFlag] = [
    .count("--sessions", \.sessions, 1...10_000, [.fanOut, .rooms], "sessions [1; rooms 200]"),
    .count("--senders", \.senders, 1...1_000, [.fanOut, .upload], "members of a session that send [1]"),
    .count(
      "--members", \.members, 1...10_000, [.fanOut, .rooms, .idle, .slowReaders, .upload],
      "members that only listen [100; 10]; in rooms and idle all of a session [5; 100]"),
    .count("--sockets", \.sockets, 1...60_000, [.idle, .floor, .floorReader], "sockets [1000]"),
    .count("--joins", \.joins, 1...60_000, [.joinStorm], "those who join at once [1000]"),
    .count(
      "--snapshot-bytes", \.snapshotBytes, 0...1_073_741_824, [.joinStorm],
      "payload that the session retains [262144]"),
    .optionalCount(
      "--entries", \.entries, 1...10_000_000, [.joinStorm], "entries that it retains, instead of bytes"),
    .mark(
      "--live", \.isLive, [.joinStorm], "a sender and a reader draw meanwhile; their latency is measured"),
    .count("--readers", \.readers, 1...10_000, [.slowReaders], "members that do not read [100]"),
    .count(
      "--megabytes", \.megabytes, 1...65_536, [.slowReaders, .upload], "payload that passes, in MiB [64]"),
  ]

  private static let load: [BenchFlag] = [
    .optionalCount(
      "--window", \.window, 1...100_000, drawing + [.slowReaders],
      "messages of each sender on their way at a time [1; 16]"),
    .optionalCount(
      "--burst", \.burst, 1...10_000, [.fanOut], "so many in one send, once all before have come everywhere"),
    .decimal(
      "--rate", "R", 0.01...1_000_000, drawing + [.joinStorm], "messages a second by each sender [10; 60]"
    ) { $0.rate = $1 },
    .count(
      "--payload", \.payload, TimeMark.length...262_144, served.filter { $0 != .idle },
      "bytes of payload [64; slow-readers 4096]"),
    .mark("--retained", \.isRetained, drawing, "entries replace one another under 1,000 keys a sender"),
    .mark("--count-echo", \.countsEcho, drawing, "a sender's own entry coming back counts as delivered"),
  ]

  private static let run: [BenchFlag] = [
    .decimal(
      "--seconds", "S", 0.05...3_600, drawing + [.idle, .floor],
      "how long is measured; in floor for each number of frames [5]"
    ) { $0.seconds = $1 },
    .optionalCount(
      "--messages", \.messages, 1...1_000_000_000, [.fanOut, .rooms],
      "measure until so many are sent, instead"),
    .decimal("--warm-up", "S", 0...600, drawing, "how long before that is not [1]") { $0.warmUp = $1 },
    .count("--in-flight", \.inFlight, 1...60_000, served, "sockets that are being opened at a time [256]"),
    .optionalCount("--cpu", \.cpu, 0...4_095, BenchMode.allCases, "the core to run on, by taskset [any]"),
    .optionalCount("--reader-cpu", \.readerCPU, 0...4_095, [.floor], "the core of the reading side [any]"),
    .count("--frame", \.frame, 1...65_536, [.floor], "bytes of a frame [70]"),
    BenchFlag(
      name: "--port", placeholder: "N", accepted: "a port from 1 to 65535", help: "where to connect",
      modes: [.floorReader]
    ) { options, text in
      guard let port = UInt16(text), port > 0 else { return false }
      options.port = port
      return true
    },
    .mark("--json", \.isJSON, BenchMode.allCases, "print one line of JSON"),
  ]
}
