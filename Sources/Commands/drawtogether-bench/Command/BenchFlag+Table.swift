extension BenchFlag {
  private static let drawing: [BenchMode] = [.fanOut, .rooms, .upload]
  private static let served = BenchMode.allCases.filter(\.needsServer)

  /// Every flag, in the order of the help.
  static let all: [BenchFlag] = toServer + membership + load + run

  private static let toServer: [BenchFlag] = [
    BenchFlag(
      name: "--server", placeholder: "URL", expected: "http://, https://, ws:// or wss://, a host and a port",
      help: "address of the server; its certificate is not verified", modes: served
    ) { options, text in
      options.server = ServerURL(text)
      return options.server != nil
    },
    BenchFlag(
      name: "--pid", placeholder: "P", expected: "a process id",
      help: "process id of the server on this machine, to report its CPU and memory", modes: served
    ) { options, text in
      guard let number = Int32(text), number > 0 else { return false }
      options.process = number
      return true
    },
    .toggle(
      "--peer", \.isPeer, served.filter(\.takesPeer),
      "the server is not a gateway, but broadcasts binary messages within /room/N"),
    .toggle("--deflate", \.offersDeflate, served, "offer permessage-deflate"),
  ]

  private static let membership: [BenchFlag] = [
    .count("--sessions", \.sessions, 1...10_000, [.fanOut, .rooms], "number of sessions [1; rooms 200]"),
    .count("--senders", \.senders, 1...1_000, [.fanOut, .upload], "sending members per session [1]"),
    .count(
      "--members", \.members, 1...10_000, [.fanOut, .rooms, .idle, .slowReaders, .upload],
      "listening members [100; slow-readers, upload 10]; in the modes rooms and idle, all members of a session [rooms 5; idle 100]"
    ),
    .count("--sockets", \.sockets, 1...60_000, [.idle, .floor, .floorReader], "sockets [1000]"),
    .count("--joins", \.joins, 1...60_000, [.joinStorm], "members that join at the same time [1000]"),
    .count(
      "--snapshot-bytes", \.snapshotBytes, 0...1_073_741_824, [.joinStorm],
      "retained payload of the session in bytes [262144]"),
    .optionalCount(
      "--entries", \.entries, 1...10_000_000, [.joinStorm],
      "number of retained entries, instead of --snapshot-bytes"),
    .toggle(
      "--live", \.isLive, [.idle, .joinStorm],
      "also measure the latency between one sender and one reader, during the joins or while the idle sockets are open"
    ),
    .count("--readers", \.readers, 1...10_000, [.slowReaders], "members that do not read [100]"),
    .count(
      "--megabytes", \.megabytes, 1...65_536, [.slowReaders, .upload], "transferred payload in MiB [64]"),
  ]

  private static let load: [BenchFlag] = [
    .optionalCount(
      "--window", \.window, 1...100_000, drawing + [.slowReaders],
      "messages in flight per sender [1; slow-readers 16]"),
    .optionalCount(
      "--burst", \.burst, 1...10_000, [.fanOut],
      "messages that are sent together, each time after all previous messages were delivered"),
    .decimal(
      "--rate", "R", 0.01...1_000_000, drawing + [.idle, .joinStorm],
      "messages per second of each sender [rooms 10; upload, join-storm, idle --live 60]"
    ) { $0.rate = $1 },
    .count(
      "--payload", \.payload, TimeMark.length...262_144, served.filter { $0 != .idle },
      "bytes of payload per message [64; slow-readers 4096]"),
    .toggle("--retained", \.isRetained, drawing, "each sender replaces retained entries under 1,000 keys"),
    .toggle(
      "--count-echo", \.countsEcho, drawing, "also count an entry as delivered when its sender receives it"),
  ]

  private static let run: [BenchFlag] = [
    .decimal(
      "--seconds", "S", 0.05...3_600, drawing + [.idle, .floor],
      "duration of the measurement; in mode floor, duration for each number of frames [5]"
    ) { $0.seconds = $1 },
    .optionalCount(
      "--messages", \.messages, 1...1_000_000_000, [.fanOut, .rooms],
      "end the measurement after this number of messages"),
    .decimal("--warm-up", "S", 0...600, drawing, "warm-up before the measurement [1]") { $0.warmUp = $1 },
    .count("--in-flight", \.inFlight, 1...60_000, served, "sockets that are opened concurrently [256]"),
    .optionalCount(
      "--cpu", \.cpu, 0...4_095, BenchMode.allCases,
      "CPU core on which this program runs itself with taskset [any]"),
    .optionalCount(
      "--reader-cpu", \.readerCPU, 0...4_095, [.floor], "CPU core for the reading process [any]"),
    .count("--frame", \.frame, 1...65_536, [.floor], "bytes per frame [70]"),
    BenchFlag(
      name: "--port", placeholder: "N", expected: "a port from 1 to 65535", help: "port to connect to",
      modes: [.floorReader]
    ) { options, text in
      guard let port = UInt16(text), port > 0 else { return false }
      options.port = port
      return true
    },
    .toggle("--json", \.isJSON, BenchMode.allCases, "print the report as one line of JSON"),
  ]
}
