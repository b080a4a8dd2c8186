import Testing

@testable import drawtogether

/// What `drawtogether join` is asked to do, by its command line.
@Suite("Join's command line")
struct JoinReaderTests {
  private static let link = "https://draw.example/s/AAAAAAAAAAAAAAAAAAAAAA"

  @Test(
    "Works and flags, the flags anywhere behind the word join",
    arguments: [
      ([link, "watch"], JoinRequest(link: link, work: .watch(once: false))),
      (
        [link, "--once", "watch", "--name=Ada"],
        JoinRequest(link: link, name: "Ada", work: .watch(once: true))
      ),
      (
        [link, "say", "two", "words", "--at", "1,-2.5", "--color", "#A0B1C2"],
        JoinRequest(link: link, color: "#a0b1c2", work: .say("two words", at: PlanePoint(x: 1, y: -2.5)))
      ),
      ([link, "say", "--", "--once"], JoinRequest(link: link, work: .say("--once", at: nil))),
      (
        [link, "attach", "a.png", "--size", "300"],
        JoinRequest(link: link, work: .attach("a.png", at: nil, width: 300))
      ),
      (
        ["--certificates", "ca.pem", link, "attach", "a b.png"],
        JoinRequest(link: link, certificates: "ca.pem", work: .attach("a b.png", at: nil, width: nil))
      ),
      ([link, "tail", "--since-start"], JoinRequest(link: link, work: .tail(sinceStart: true))),
    ])
  func reads(_ arguments: [String], _ request: JoinRequest) throws {
    #expect(try JoinReader.read(arguments) == .request(request))
  }

  @Test("Help is help wherever it stands, but for what is said")
  func help() throws {
    #expect(try JoinReader.read(["--help"]) == .help)
    #expect(try JoinReader.read([Self.link, "say", "x", "-h"]) == .help)
    #expect(
      try JoinReader.read([Self.link, "say", "--", "--help"])
        == .request(JoinRequest(link: Self.link, work: .say("--help", at: nil))))
    #expect(JoinHelp.text.split(separator: "\n").allSatisfy { $0.count <= 105 })
  }

  @Test(
    "What is asked wrongly is told in one sentence",
    arguments: [
      ([], "join needs a session's link: http(s)://HOST/s/ID, as the page's address has it."),
      (["watch"], "join needs a session's link: http(s)://HOST/s/ID, as the page's address has it."),
      (
        ["hello"], "hello is not a session's link: that is http(s)://HOST/s/ID, as the page's address has it."
      ),
      ([link], "join needs something to do there: watch, say, attach or tail."),
      ([link, "sing"], "join cannot \"sing\": it can watch, say, attach or tail."),
      ([link, "say"], "say needs words."),
      ([link, "attach", ""], "attach needs a file."),
      ([link, "attach", "a", "b"], "\"b\" was not expected: attach takes no more words."),
      ([link, "watch", "--onse"], "--onse is not known; did you mean --once?"),
      ([link, "watch", "--confetti"], "--confetti is not known; drawtogether join --help lists what is."),
      (
        [link, "tail", "--at", "1,2"],
        "--at is not for tail: it takes --since-start, --certificates, --name, --color."
      ),
      ([link, "watch", "--once=yes"], "--once takes no value."),
      (
        [link, "say", "x", "--at"],
        "--at needs a value: it takes X,Y in points of the canvas, within ±1000000."
      ),
      (
        [link, "say", "x", "--at", "1,2,3"],
        "--at does not take \"1,2,3\": it takes X,Y in points of the canvas, within ±1000000."
      ),
      (
        [link, "say", "x", "--at=nan,1"],
        "--at does not take \"nan,1\": it takes X,Y in points of the canvas, within ±1000000."
      ),
      (
        [link, "attach", "a", "--size", "0"],
        "--size does not take \"0\": it takes a width in points, from 1 to 1000000."
      ),
      (
        [link, "say", String(repeating: "a", count: 10_000)],
        "say takes at most 4000 characters, and these are 10000."
      ),
      ([link, "watch", "--name", ""], "--name does not take \"\": it takes 1 to 64 characters."),
      (
        [link, "watch", "--name", String(repeating: "é", count: 300)],
        "--name takes at most 64 characters, and these are 300."
      ),
      (
        [link, "watch", "--color", "red"],
        "--color does not take \"red\": it takes # and six hexadecimal digits."
      ),
    ])
  func refuses(_ arguments: [String], _ words: String) {
    let error = #expect(throws: JoinUsageError.self) { try JoinReader.read(arguments) }
    #expect(error?.description == words)
  }
}
