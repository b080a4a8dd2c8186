import Testing
import WebSocket

@Suite("RFC 7692 §7.1: negotiation of permessage-deflate")
struct NegotiationTests {
  struct Offer: Sendable, CustomTestStringConvertible {
    let fields: [String]
    /// The parameters of the response, except the two parameters that every response has; nil if every offer is declined.
    let answered: String?
    var serverWindowBits = 15

    var testDescription: String { fields.joined(separator: " | ") }
  }

  static let offers: [Offer] = [
    Offer(fields: [], answered: nil),
    Offer(fields: [""], answered: nil),
    Offer(fields: ["permessage-deflate"], answered: ""),
    Offer(fields: ["PerMessage-Deflate"], answered: ""),
    Offer(fields: [" ,, permessage-deflate ,"], answered: ""),
    Offer(fields: ["permessage-deflate; client_max_window_bits"], answered: ""),
    Offer(fields: ["permessage-deflate; server_no_context_takeover"], answered: ""),
    Offer(fields: ["permessage-deflate; client_no_context_takeover"], answered: ""),
    Offer(
      fields: ["permessage-deflate;server_no_context_takeover;client_no_context_takeover"], answered: ""),
    Offer(
      fields: ["permessage-deflate; client_max_window_bits=8"], answered: "; client_max_window_bits=8"),
    Offer(
      fields: ["permessage-deflate; client_max_window_bits=15"], answered: "; client_max_window_bits=15"),
    Offer(
      fields: ["permessage-deflate; server_max_window_bits=9"], answered: "; server_max_window_bits=9",
      serverWindowBits: 9),
    Offer(fields: ["permessage-deflate; server_max_window_bits=15"], answered: "; server_max_window_bits=15"),
    Offer(
      fields: [#"permessage-deflate; server_max_window_bits="10""#], answered: "; server_max_window_bits=10",
      serverWindowBits: 10),
    Offer(
      fields: [#"permessage-deflate ; server_max_window_bits = "1\0""#],
      answered: "; server_max_window_bits=10", serverWindowBits: 10),
    Offer(
      fields: ["permessage-deflate; client_max_window_bits=11; server_max_window_bits=12"],
      answered: "; server_max_window_bits=12; client_max_window_bits=11", serverWindowBits: 12),
    // These offers are declined.
    Offer(fields: ["x-webkit-deflate-frame"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits=8"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits=7"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits=16"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits=010"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits=+10"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits=ten"], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits"], answered: nil),
    Offer(fields: [#"permessage-deflate; server_max_window_bits="""#], answered: nil),
    Offer(fields: [#"permessage-deflate; server_max_window_bits="10"#], answered: nil),
    Offer(fields: [#"permessage-deflate; server_max_window_bits="10\"#], answered: nil),
    Offer(fields: ["permessage-deflate; server_max_window_bits="], answered: nil),
    Offer(
      fields: ["permessage-deflate; server_max_window_bits=10; server_max_window_bits=10"], answered: nil),
    Offer(fields: ["permessage-deflate; client_max_window_bits=7"], answered: nil),
    Offer(fields: ["permessage-deflate; client_max_window_bits; client_max_window_bits"], answered: nil),
    Offer(fields: ["permessage-deflate; server_no_context_takeover=1"], answered: nil),
    Offer(fields: ["permessage-deflate; client_no_context_takeover=true"], answered: nil),
    Offer(
      fields: ["permessage-deflate; server_no_context_takeover; server_no_context_takeover"], answered: nil),
    Offer(fields: ["permessage-deflate; unknown"], answered: nil),
    Offer(fields: ["permessage-deflate;"], answered: nil),
    Offer(fields: ["permessage-deflate server_no_context_takeover"], answered: nil),
    Offer(fields: ["permessage-deflate; a b"], answered: nil),
    Offer(fields: [";"], answered: nil),
    // §5.1: the first acceptable offer is accepted.
    Offer(fields: ["permessage-deflate; server_max_window_bits=8, permessage-deflate"], answered: ""),
    Offer(fields: ["permessage-deflate; server_max_window_bits=8", "permessage-deflate"], answered: ""),
    Offer(fields: [#"other; a="x,permessage-deflate; y", permessage-deflate"#], answered: ""),
    Offer(
      fields: ["permessage-deflate; server_max_window_bits=9, permessage-deflate"],
      answered: "; server_max_window_bits=9", serverWindowBits: 9),
  ]

  @Test(
    "a server answers acceptable offers with the expected parameters, and declines other offers",
    arguments: offers)
  func negotiates(_ offer: Offer) {
    let agreed = DeflateParameters.negotiate(offers: offer.fields)
    let always = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    #expect(agreed?.responseValue == offer.answered.map { always + $0 })
    if let agreed {
      #expect(agreed.windowBits(for: .server) == offer.serverWindowBits)
    }
  }

  struct Answer: Sendable, CustomTestStringConvertible {
    let value: String
    let isAcceptable: Bool
    var serverWindowBits = 15

    var testDescription: String { value }
  }

  static let answers: [Answer] = [
    Answer(
      value: "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      isAcceptable: true),
    Answer(value: "permessage-deflate; server_no_context_takeover", isAcceptable: true),
    Answer(
      value: "permessage-deflate; server_no_context_takeover; server_max_window_bits=8",
      isAcceptable: true, serverWindowBits: 8),
    Answer(value: "permessage-deflate", isAcceptable: false),
    Answer(value: "permessage-deflate; client_no_context_takeover", isAcceptable: false),
    Answer(
      value: "permessage-deflate; server_no_context_takeover; client_max_window_bits=15",
      isAcceptable: false),
    Answer(
      value: "permessage-deflate; server_no_context_takeover; server_max_window_bits", isAcceptable: false),
    Answer(
      value: "permessage-deflate; server_no_context_takeover; server_max_window_bits=16",
      isAcceptable: false),
    Answer(value: "permessage-deflate; server_no_context_takeover; other", isAcceptable: false),
    Answer(
      value: "permessage-deflate; server_no_context_takeover, permessage-deflate", isAcceptable: false),
    Answer(value: "other", isAcceptable: false),
    Answer(value: "=", isAcceptable: false),
  ]

  @Test("a client accepts a response that matches its offer, and refuses any other", arguments: answers)
  func checks(_ answer: Answer) throws {
    guard answer.isAcceptable else {
      #expect(throws: UpgradeResponseError.unacceptableExtension(answer.value)) {
        try DeflateParameters.check(response: [answer.value])
      }
      return
    }
    let agreed = try #require(try DeflateParameters.check(response: [answer.value]))
    #expect(agreed.serverWindowBits == answer.serverWindowBits)
    #expect(agreed.windowBits(for: .client) == 15)
  }

  @Test("a client accepts a response in which the server declines compression")
  func declined() throws {
    #expect(try DeflateParameters.check(response: []) == nil)
  }

  @Test("the server of this module accepts the compression offer of this module's client")
  func both() throws {
    let agreed = try #require(DeflateParameters.negotiate(offers: [DeflateParameters.clientOffer]))
    #expect(try DeflateParameters.check(response: [agreed.responseValue]) == agreed)
  }
}
