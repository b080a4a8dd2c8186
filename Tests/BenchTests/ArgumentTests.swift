import Testing

@testable import drawtogether_bench

@Suite("Arguments of the load generator")
struct ArgumentTests {
  private func options(_ line: String) throws -> BenchOptions {
    let invocation = try BenchArgumentParser.parse(line.split(separator: " ").map(String.init))
    guard case .run(let options) = invocation else { throw BenchError.missingMode }
    return options
  }

  @Test("Settings that are not given as flags have the defaults of their mode")
  func defaults() throws {
    let fanOut = try options("fan-out --server http://127.0.0.1:8080")
    #expect(fanOut.server?.authority == "127.0.0.1:8080")
    #expect((fanOut.senders, fanOut.members, fanOut.payload) == (1, 100, 64))
    #expect(fanOut.pacing == .window(1))
    let rooms = try options("rooms --server ws://localhost:1")
    #expect((rooms.sessions, rooms.members) == (200, 5))
    #expect(rooms.pacing == .rate(10))
    #expect(try options("floor").sockets == 1_000)
  }

  @Test("The value of a flag is the next argument, or the text after an equals sign")
  func values() throws {
    let given = try options(
      "fan-out --server=wss://[::1]:8443 --senders 10 --members=1000 --burst 16 --pid 42 --seconds 0.5 --json --deflate"
    )
    #expect(given.server?.isSecure == true)
    #expect(given.server?.authority == "[::1]:8443")
    #expect(given.server?.bareHost == "::1")
    #expect((given.senders, given.members, given.process) == (10, 1_000, 42))
    #expect(given.pacing == .burst(16))
    #expect((given.seconds, given.isJSON, given.offersDeflate) == (0.5, true, true))
  }

  @Test("The size of a snapshot is set in bytes or in entries")
  func snapshots() throws {
    #expect(
      try options("join-storm --server http://a:1 --snapshot-bytes 1000 --payload 100").snapshotEntries == 10)
    #expect(
      try options("join-storm --server http://a:1 --snapshot-bytes 1001 --payload 100").snapshotEntries == 11)
    #expect(try options("join-storm --server http://a:1 --entries 7").snapshotEntries == 7)
  }

  @Test(
    "--help is recognized at any place in the arguments",
    arguments: ["--help", "fan-out --server x --help", "-h"])
  func help(_ line: String) throws {
    #expect(try BenchArgumentParser.parse(line.split(separator: " ").map(String.init)) == .help)
  }

  @Test(
    "Invalid arguments are reported in one sentence",
    arguments: [
      ("", .missingMode),
      ("--json", .missingMode),
      ("dance", .unknownMode("dance")),
      ("fan-out", .missingServer(.fanOut)),
      ("slow-readers --server http://a:1", .missingProcess(.slowReaders)),
      ("fan-out --server http://a:1 --speed 3", .unknownFlag("--speed", mode: .fanOut)),
      ("fan-out --server http://a:1 --joins 3", .flagOfOtherMode("--joins", mode: .fanOut)),
      ("upload --server http://a:1 --peer", .flagOfOtherMode("--peer", mode: .upload)),
      ("fan-out --server http://a:1 more", .unexpectedArgument("more")),
      ("fan-out --server http://a:1 --json=1", .unexpectedValue(flag: "--json")),
      ("fan-out --server http://a:1 --rate 1 --window 2", .excluding("--window", "--rate")),
      (
        "fan-out --server http://a:1 --senders",
        .missingValue(flag: "--senders", expected: "a whole number from 1 to 1000")
      ),
      (
        "fan-out --server http://a:1 --senders 0",
        .invalidValue(flag: "--senders", value: "0", expected: "a whole number from 1 to 1000")
      ),
      (
        "fan-out --server http://a:1 --payload 15",
        .invalidValue(flag: "--payload", value: "15", expected: "a whole number from 16 to 262144")
      ),
    ] as [(String, BenchError)])
  func refusals(_ line: String, _ error: BenchError) {
    #expect(throws: error) { try BenchArgumentParser.parse(line.split(separator: " ").map(String.init)) }
    #expect(error.description.hasSuffix("."))
  }

  @Test(
    "An invalid URL of a server is rejected",
    arguments: [
      "127.0.0.1:8080", "ftp://a:1", "http://", "http://:80", "http://a:", "http://a:0", "http://a:+1",
      "http://a:65536",
      "http://a:1/path", "http://[::1:1", "http://user@a:1",
    ])
  func badServers(_ text: String) {
    #expect(ServerURL(text) == nil)
  }

  @Test("The default port follows from the scheme")
  func ports() {
    #expect(ServerURL("http://example.org/")?.authority == "example.org:80")
    #expect(ServerURL("wss://example.org")?.authority == "example.org:443")
  }

  @Test(
    "If its arguments are invalid, the program exits with code 2 and prints the reason only on standard error"
  )
  func exitCodes() {
    var printed = ""
    var complained = ""
    let command = BenchCommand(
      arguments: ["fan-out"], output: { printed += $0 }, errors: { complained += $0 })
    #expect(command.run() == 2)
    #expect(printed.isEmpty)
    #expect(complained.hasPrefix("drawtogether-bench: fan-out needs a server"))
  }

  @Test("The help lists every public mode and every flag of these modes")
  func everythingIsInTheHelp() {
    for mode in BenchMode.public { #expect(BenchHelp.text.contains("\n  \(mode.rawValue) ")) }
    for flag in BenchFlag.all where flag.modes != [.floorReader] {
      #expect(BenchHelp.text.contains("\n  \(flag.name)"))
    }
  }
}
