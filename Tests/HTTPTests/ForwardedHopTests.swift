import HTTP
import Testing

@Suite("RFC 7239: the address of the client is read from Forwarded and X-Forwarded-For fields")
struct ForwardedHopTests {
  struct Element: Sendable, CustomTestStringConvertible {
    let rule: String
    let text: String
    var client: String?
    var isSecure: Bool?
    var host: String?

    var testDescription: String { "\(rule): \(text)" }
  }

  @Test(
    "a Forwarded field with one element is parsed",
    arguments: [
      Element(rule: "§4 IPv4", text: "for=192.0.2.43", client: "192.0.2.43"),
      Element(
        rule: "§4 names and values in upper case", text: "FOR=192.0.2.43;Proto=HTTPS", client: "192.0.2.43",
        isSecure: true),
      Element(
        rule: "§4 all four names, in any order",
        text: "proto=http;by=203.0.113.43;host=draw.example;for=192.0.2.60",
        client: "192.0.2.60", isSecure: false, host: "draw.example"),
      Element(
        rule: "§4 IPv6 with a port", text: #"for="[2001:db8:cafe::17]:4711""#, client: "2001:db8:cafe::17"),
      Element(rule: "§4 quoted IPv4 with a port", text: #"for="192.0.2.43:47011""#, client: "192.0.2.43"),
      Element(
        rule: "RFC 9110 §5.6.4 escaped characters in quoted strings",
        text: #"for="\1\92.0.2.43";host="a\.example:8\443""#,
        client: "192.0.2.43",
        host: "a.example:8443"),
      Element(
        rule: "RFC 9110 §5.6.6 blanks around ;", text: "for=192.0.2.43 ;\tproto=https", client: "192.0.2.43",
        isSecure: true),
      Element(rule: "§6.2 unknown", text: "for=unknown;proto=https", isSecure: true),
      Element(rule: "§6.3 obfuscated", text: "for=_gazonk;proto=https", isSecure: true),
      Element(rule: "§6.3 an obfuscated port", text: #"for="[::1]:_p.1-x""#, client: "::1"),
      Element(rule: "§4 an element without `for`", text: "by=_secret", client: nil),
      Element(rule: "§5.5 extensions", text: "for=192.0.2.43;secret=\"a,b;c\"", client: "192.0.2.43"),
      Element(rule: "IPv6 without brackets", text: #"for="2001:db8::1""#, client: "2001:db8::1"),
      Element(
        rule: "an IPv4-mapped IPv6 address", text: #"for="[::ffff:192.0.2.1]""#, client: "::ffff:192.0.2.1"),
      Element(rule: "an unknown scheme", text: "for=192.0.2.43;proto=gopher", client: "192.0.2.43"),
      Element(
        rule: "the scheme wss of a WebSocket", text: "for=192.0.2.43;proto=wss", client: "192.0.2.43",
        isSecure: true),
      Element(
        rule: "a host that is not a host name", text: #"for=192.0.2.43;host="a b""#, client: "192.0.2.43"),
    ])
  func reads(_ element: Element) {
    let hop = ForwardedHop(element: element.text)
    let authority = element.host.flatMap { Authority($0) }
    #expect((authority == nil) == (element.host == nil))
    #expect(
      hop == ForwardedHop(client: element.client, isSecure: element.isSecure, authority: authority))
  }

  @Test(
    "RFC 7239 §4: malformed elements of a Forwarded field are refused",
    arguments: [
      "for", "for=", "=192.0.2.43", "for=[2001:db8::1]", "for=2001:db8::1",
      "for=192.0.2.43:80",
      #"for="192.0.2.43"#, #"for=192.0.2.43""#, #"for="192.0.2.43"x"#, "for=a b", "for =192.0.2.43",
      "for= 192.0.2.43", "for=192.0.2.43;for=192.0.2.44", "For=192.0.2.43;proto=http;PROTO=https",
      "for=192.0.2.43 proto=https", #"for="192.0.2.43\"#, "for=\u{100}", "for=192.0.2.43;secret=\u{E9}",
    ])
  func refuses(_ text: String) {
    #expect(ForwardedHop(element: text) == nil)
  }

  @Test(
    "RFC 7239 §6: a node that is not an IP address yields no client address",
    arguments: [
      "127.1", "192.0.2", "192.0.2.1.1", "192.0.2.043", "192.0.2.1111", "0x7f.0.0.1", "192.0.2.a",
      "localhost",
      "[192.0.2.1]", "[2001:db8::1", "[]", "[::1%eth0]", "::1%eth0", "192.0.2.1:", "192.0.2.1:999999",
      "192.0.2.1:8x",
      "[::1]80", "[::1]:", "1:2", "", " ", "_", "unknown", "\"192.0.2.1\"", "192.0.2.1 192.0.2.2",
    ])
  func noAddress(_ node: String) {
    #expect(
      ForwardedHop.xForwarded(in: ["X-Forwarded-For": "192.0.2.9, x\(node)"], behind: 1)
        == .hop(ForwardedHop()))
    let read = ForwardedHop.xForwarded(in: ["X-Forwarded-For": node], behind: 1)
    #expect(read == .hop(ForwardedHop()) || (read == .unusable && node.allSatisfy { $0 == " " }))
  }

  struct Chain: Sendable, CustomTestStringConvertible {
    let rule: String
    let proxies: Int
    let fields: FieldList
    let reading: ForwardedHop.Reading

    init(
      _ rule: String, _ proxies: Int, _ fields: FieldList, client: String? = nil, isSecure: Bool? = nil,
      host: String? = nil
    ) {
      self.rule = rule
      self.proxies = proxies
      self.fields = fields
      reading = .hop(
        ForwardedHop(client: client, isSecure: isSecure, authority: host.flatMap { Authority($0) }))
    }

    init(_ rule: String, _ proxies: Int, _ fields: FieldList, is reading: ForwardedHop.Reading) {
      self.rule = rule
      self.proxies = proxies
      self.fields = fields
      self.reading = reading
    }

    var testDescription: String {
      "\(rule), \(proxies): \(fields.map { "\($0.name): \($0.value.prefix(80))" })"
    }
  }

  @Test(
    "Forwarded: behind n trusted proxies, the n-th element from the end is used",
    arguments: [
      Chain("no such field", 1, ["Via": "1.1 x"], is: .absent),
      Chain(
        "one element", 1, ["forwarded": "for=192.0.2.1;proto=https"], client: "192.0.2.1", isSecure: true),
      Chain(
        "the last of three elements", 1, ["Forwarded": "for=1.1.1.1, for=2.2.2.2,for=3.3.3.3"],
        client: "3.3.3.3"),
      Chain(
        "the second element from the end", 2, ["Forwarded": "for=1.1.1.1, for=2.2.2.2,for=3.3.3.3"],
        client: "2.2.2.2"
      ),
      Chain(
        "the elements of two fields", 2,
        ["Forwarded": "for=1.1.1.1, for=2.2.2.2", "X": "y", "FORWARDED": "for=3.3.3.3"],
        client: "2.2.2.2"),
      Chain("fewer elements than proxies", 2, ["Forwarded": "for=1.1.1.1"], is: .unusable),
      Chain("an empty field", 1, ["Forwarded": ""], is: .unusable),
      Chain("empty elements do not count", 1, ["Forwarded": "for=1.1.1.1, ,"], client: "1.1.1.1"),
      Chain(
        "a malformed element before the trusted one is ignored", 1, ["Forwarded": "??, for=1.1.1.1"],
        client: "1.1.1.1"),
      Chain("the trusted element is malformed", 1, ["Forwarded": "for=1.1.1.1, ??"], is: .unusable),
      Chain(
        "an element after the trusted one is malformed", 2, ["Forwarded": "for=1.1.1.1, ??"], is: .unusable),
      Chain(
        "a comma within quotation marks", 1, ["Forwarded": #"for=1.1.1.1;x="a, for=6.6.6.6""#],
        client: "1.1.1.1"),
      Chain(
        "the proxy hides the address of the client", 1, ["Forwarded": "for=1.1.1.1, for=unknown;proto=https"],
        isSecure: true),
      Chain(
        "64 elements, the maximum", 1,
        ["Forwarded": String(repeating: "for=6.6.6.6,", count: 63) + "for=1.1.1.1"],
        client: "1.1.1.1"),
      Chain(
        "65 elements", 1, ["Forwarded": String(repeating: "for=6.6.6.6,", count: 64) + "for=1.1.1.1"],
        is: .unusable),
      Chain(
        "65 elements in two fields", 1,
        ["Forwarded": String(repeating: "for=6.6.6.6,", count: 64), "FORWARDED": "for=1.1.1.1"], is: .unusable
      ),
      // A forged element: the client sent an unclosed quotation mark, and the proxies appended their elements after it.
      Chain("an unclosed quotation mark", 1, ["Forwarded": #"for=6.6.6.6;x=", for=1.1.1.1"#], is: .unusable),
      Chain(
        "an unclosed quotation mark before the elements of two proxies", 2,
        ["Forwarded": #"for=6.6.6.6, x=", for=1.1.1.1, for=2.2.2.2"#],
        is: .unusable),
      Chain(
        "a quotation mark that an element of a proxy closes", 2,
        ["Forwarded": #"for=6.6.6.6, x=", for="[2001:db8::1]", for=2.2.2.2"#],
        is: .unusable),
      Chain(
        "an unclosed quotation mark in a field of its own", 1,
        ["Forwarded": #"for=6.6.6.6, x=""#, "FORWARDED": "for=1.1.1.1"],
        client: "1.1.1.1"),
    ])
  func standard(_ chain: Chain) {
    #expect(ForwardedHop.forwarded(in: chain.fields, behind: chain.proxies) == chain.reading)
  }

  @Test(
    "X-Forwarded-…: behind n trusted proxies, the n-th element from the end is used",
    arguments: [
      Chain("no such field", 1, ["Forwarded": "for=1.1.1.1"], is: .absent),
      Chain("one element", 1, ["x-forwarded-for": "192.0.2.1"], client: "192.0.2.1"),
      Chain(
        "the last of three elements", 1, ["X-Forwarded-For": "1.1.1.1, 2.2.2.2,3.3.3.3"], client: "3.3.3.3"),
      Chain(
        "the second element from the end", 2, ["X-Forwarded-For": "1.1.1.1, 2.2.2.2,3.3.3.3"],
        client: "2.2.2.2"),
      Chain(
        "the elements of two fields", 2,
        ["X-Forwarded-For": "1.1.1.1, 2.2.2.2", "X-FORWARDED-FOR": "3.3.3.3"],
        client: "2.2.2.2"),
      Chain(
        "fewer elements than proxies", 2, ["X-Forwarded-For": "1.1.1.1", "X-Forwarded-Proto": "https"],
        is: .unusable),
      Chain("X-Forwarded-For is missing", 1, ["X-Forwarded-Proto": "https"], is: .unusable),
      Chain("an IPv4 address with a port", 1, ["X-Forwarded-For": "192.0.2.1:4711"], client: "192.0.2.1"),
      Chain("an IPv6 address", 1, ["X-Forwarded-For": "2001:db8::1"], client: "2001:db8::1"),
      Chain("an IPv6 address with a port", 1, ["X-Forwarded-For": "[2001:db8::1]:80"], client: "2001:db8::1"),
      Chain("an element that is not an address", 1, ["X-Forwarded-For": "1.1.1.1, unknown"]),
      Chain(
        "all three fields", 1,
        [
          "X-Forwarded-For": "1.1.1.1", "X-Forwarded-Proto": "HTTPS", "X-Forwarded-Host": "Draw.example:8443",
        ],
        client: "1.1.1.1", isSecure: true, host: "draw.example:8443"),
      Chain(
        "the scheme and host from the first of two proxies", 2,
        [
          "X-Forwarded-For": "6.6.6.6, 1.1.1.1, 2.2.2.2", "X-Forwarded-Proto": "http, https, http",
          "X-Forwarded-Host": "evil.example, draw.example, inside",
        ], client: "1.1.1.1", isSecure: true, host: "draw.example"),
      Chain(
        "only one of two proxies wrote the scheme", 2,
        ["X-Forwarded-For": "1.1.1.1, 2.2.2.2", "X-Forwarded-Proto": "https"], client: "1.1.1.1",
        isSecure: true),
      // An inner proxy may have replaced the scheme of the first proxy by its own scheme.
      Chain(
        "only one of two proxies wrote the scheme http, possibly the inner one", 2,
        ["X-Forwarded-For": "1.1.1.1, 2.2.2.2", "X-Forwarded-Proto": "http"], client: "1.1.1.1"),
      Chain(
        "only two of three proxies wrote the scheme http", 3,
        ["X-Forwarded-For": "1.1.1.1, 2.2.2.2, 3.3.3.3", "X-Forwarded-Proto": "http, https"],
        client: "1.1.1.1"),
      Chain(
        "both proxies wrote the scheme", 2,
        ["X-Forwarded-For": "1.1.1.1, 2.2.2.2", "X-Forwarded-Proto": "http, http"], client: "1.1.1.1",
        isSecure: false),
      Chain(
        "thousands of elements from the client", 2,
        ["X-Forwarded-For": String(repeating: "6.6.6.6,", count: 15_000) + "1.1.1.1 ,, 2.2.2.2,"],
        client: "1.1.1.1"),
      Chain(
        "nothing but commas", 1, ["X-Forwarded-For": String(repeating: ", ", count: 15_000)], is: .unusable),
      Chain(
        "an unknown scheme", 1, ["X-Forwarded-For": "1.1.1.1", "X-Forwarded-Proto": "gopher"],
        client: "1.1.1.1"),
      Chain(
        "a host that is not a host name", 1, ["X-Forwarded-For": "1.1.1.1", "X-Forwarded-Host": "a b"],
        client: "1.1.1.1"),
      // Quotation marks have no meaning in these fields, so a comma after a quotation mark still separates two elements.
      Chain("an unclosed quotation mark", 1, ["X-Forwarded-For": #"6.6.6.6, ", 1.1.1.1"#], client: "1.1.1.1"),
      Chain(
        "an unclosed quotation mark before the elements of two proxies", 2,
        ["X-Forwarded-For": #"6.6.6.6, ", 1.1.1.1, 2.2.2.2"#], client: "1.1.1.1"),
    ])
  func customary(_ chain: Chain) {
    #expect(ForwardedHop.xForwarded(in: chain.fields, behind: chain.proxies) == chain.reading)
  }
}
