import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("2.2: what the end of a socket means")
struct CloseCodeTests {
  /// How a socket ends, and what comes of it.
  struct Close: CustomTestStringConvertible {
    let code: UInt16
    var reason = ""
    var wasJoined = true
    var told: [String] = ["away"]
    var opens: Duration?
    var testDescription: String { "\(code) \(reason)" }
  }

  @Test(
    "2.2: what each close code means",
    arguments: [
      Close(code: 1000, told: ["ended: left"]),
      Close(code: 1001, opens: .zero), Close(code: 1005, opens: .zero), Close(code: 1011, opens: .zero),
      // Half a second at most is added, so that not all come at once.
      Close(code: 1012, reason: #"{"code":"unavailable","retryAfterMs":2000}"#, opens: .milliseconds(2375)),
      Close(code: 1013, reason: #"{"retryAfterMs":99999999999999999999}"#, opens: .zero),
      Close(code: 1013, reason: #"{"retryAfterMs":3600000}"#, opens: .milliseconds(60_375)),
      Close(code: 1012, reason: "<html>", opens: .zero),
      Close(
        code: 1002,
        told: [#"ended: refused(code: 1002, detail: "The gateway closed the connection with code 1002.")"#]),
      Close(
        code: 1008, reason: #"{"code":"bad-entry","detail":"No."}"#,
        told: [#"ended: refused(code: 1008, detail: "No.")"#]),
      Close(code: 4001, opens: .zero), Close(code: 4008, opens: .zero), Close(code: 4013, opens: .zero),
      Close(code: 4004, told: ["ended: notFound"]), Close(code: 4010, told: ["ended: ended"]),
      Close(code: 4005, wasJoined: false, told: ["ended: full"]),
      Close(code: 4005, opens: .milliseconds(1375)),
      Close(code: 4009, opens: .zero),
      Close(code: 4026, wasJoined: false, told: ["ended: versionNotSpoken"]),
      Close(code: 4029, reason: #"{"retryAfterMs":100}"#, opens: .milliseconds(5375)),
      Close(code: 4999, opens: .zero),
    ])
  func closes(_ close: Close) {
    var harness = SessionHarness()
    if close.wasJoined {
      harness = .live()
    } else {
      harness.session.join(now: harness.now)
      harness.take()
      harness.open()
      harness.forget()
    }
    harness.closed(close.code, close.reason)
    #expect(harness.told == close.told)
    #expect(harness.opens == (close.opens.map { [$0] } ?? []))
    #expect(harness.isFinished == (close.opens == nil))
  }

  @Test("what cannot become right ends a session that was never joined, and no other")
  func neverJoined() {
    let ends: [(SocketEnd, String)] = [
      (.notTrusted("old"), #"ended: notTrusted("old")"#),
      (.noGateway("a shop"), #"ended: noGateway("a shop")"#),
      (.refused(status: 421, detail: "no", retryAfter: nil), #"ended: refused(code: 421, detail: "no")"#),
      (.refused(status: 404, detail: "no", retryAfter: nil), "ended: notFound"),
      (.refused(status: 503, detail: "no", retryAfter: .seconds(3)), "trouble: no"),
      (.broken("no"), "trouble: no"),
    ]
    for (end, words) in ends {
      var harness = SessionHarness()
      harness.session.join(now: harness.now)
      harness.session.closed(end, now: harness.now)
      harness.take()
      #expect(harness.told == [words])
      #expect(harness.isFinished == words.hasPrefix("ended"))
      var member = SessionHarness.live()
      member.session.closed(end, now: member.now)
      member.take()
      #expect(member.told == ["away"])
    }
  }
}
