import Testing

@testable import drawtogether

/// Parsing of the command line of `drawtogether join`.
@Suite("The command line of `drawtogether join` is parsed")
struct JoinArgumentParserTests {
  private static let link = "https://draw.example/s/AAAAAAAAAAAAAAAAAAAAAA"

  @Test(
    "Actions are parsed; flags may be anywhere after `join`",
    arguments: [
      ([link, "watch"], JoinRequest(link: link, action: .watch(once: false))),
      (
        [link, "--once", "watch", "--name=Ada"],
        JoinRequest(link: link, name: "Ada", action: .watch(once: true))
      ),
      (
        [link, "say", "two", "words", "--at", "1,-2.5", "--color", "#A0B1C2"],
        JoinRequest(link: link, color: "#a0b1c2", action: .say("two words", at: PlanePoint(x: 1, y: -2.5)))
      ),
      ([link, "say", "--", "--once"], JoinRequest(link: link, action: .say("--once", at: nil))),
      (
        [link, "attach", "a.png", "--size", "300"],
        JoinRequest(link: link, action: .attach("a.png", at: nil, width: 300))
      ),
      (
        ["--certificates", "ca.pem", link, "attach", "a b.png"],
        JoinRequest(link: link, certificates: "ca.pem", action: .attach("a b.png", at: nil, width: nil))
      ),
      ([link, "tail", "--since-start"], JoinRequest(link: link, action: .tail(sinceStart: true))),
    ])
  func reads(_ arguments: [String], _ request: JoinRequest) throws {
    #expect(try JoinArgumentParser.parse(arguments) == .request(request))
  }

  @Test("--help is recognized anywhere except after --")
  func help() throws {
    #expect(try JoinArgumentParser.parse(["--help"]) == .help)
    #expect(try JoinArgumentParser.parse([Self.link, "say", "x", "-h"]) == .help)
    #expect(
      try JoinArgumentParser.parse([Self.link, "say", "--", "--help"])
        == .request(JoinRequest(link: Self.link, action: .say("--help", at: nil))))
    #expect(JoinHelp.text.split(separator: "\n").allSatisfy { $0.count <= 105 })
  }

  @Test(
    "Invalid arguments are reported in one sentence",
    arguments: [
      ([], "join needs the link of a session: http(s)://HOST/s/ID, the address that the page shares."),
      (["watch"], "join needs the link of a session: http(s)://HOST/s/ID, the address that the page shares."),
      (
        ["hello"],
        "hello is not the link of a session: expected http(s)://HOST/s/ID, the address that the page shares."
      ),
      ([link], "join needs an action: watch, say, attach or tail."),
      ([link, "sing"], "unknown action \"sing\": expected watch, say, attach or tail."),
      ([link, "say"], "say needs a text."),
      ([link, "attach", ""], "attach needs a file."),
      ([link, "attach", "a", "b"], "unexpected argument \"b\": attach takes no more arguments."),
      ([link, "watch", "--confetti"], "unknown flag --confetti; drawtogether join --help lists all flags."),
      (
        [link, "tail", "--at", "1,2"],
        "tail does not take --at: its flags are --since-start, --certificates, --name, --color."
      ),
      ([link, "watch", "--once=yes"], "--once takes no value."),
      (
        [link, "say", "x", "--at"],
        "missing value for --at: expected X,Y in points of the canvas, within ±1000000."
      ),
      (
        [link, "say", "x", "--at", "1,2,3"],
        "invalid value \"1,2,3\" for --at: expected X,Y in points of the canvas, within ±1000000."
      ),
      (
        [link, "say", "x", "--at=nan,1"],
        "invalid value \"nan,1\" for --at: expected X,Y in points of the canvas, within ±1000000."
      ),
      (
        [link, "attach", "a", "--size", "0"],
        "invalid value \"0\" for --size: expected a width in points, from 1 to 1000000."
      ),
      (
        [link, "say", String(repeating: "a", count: 10_000)],
        "say takes at most 4000 characters, but has 10000."
      ),
      ([link, "watch", "--name", ""], "invalid value \"\" for --name: expected 1 to 64 characters."),
      (
        [link, "watch", "--name", String(repeating: "é", count: 300)],
        "--name takes at most 64 characters, but has 300."
      ),
      (
        [link, "watch", "--color", "red"],
        "invalid value \"red\" for --color: expected # and six hexadecimal digits."
      ),
    ])
  func refuses(_ arguments: [String], _ words: String) {
    let error = #expect(throws: CommandError.self) { try JoinArgumentParser.parse(arguments) }
    #expect(error?.description == words)
  }
}
