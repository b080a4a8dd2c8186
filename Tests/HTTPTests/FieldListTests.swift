import HTTP
import Testing

@Suite("Fields, RFC 9110 §5")
struct FieldListTests {
  private let fields: FieldList = ["A": "1", "b": "2", "a": "3"]

  @Test("RFC 9110 §5.1: a field is found by its name in upper or lower case")
  func lookup() {
    #expect(fields.first("a") == "1")
    #expect(fields.first("B") == "2")
    #expect(fields.first("c") == nil)
    #expect(fields.all("A") == ["1", "3"])
    #expect(fields.all("c") == [])
  }

  @Test("RFC 9110 §5.3: fields keep their order; `set` replaces all fields of the given name by one field")
  func changes() {
    var fields = fields
    fields.append("C", "4")
    #expect(fields.map(\.value) == ["1", "2", "3", "4"])
    fields.set("a", "5")
    #expect(fields.map(\.name) == ["b", "C", "a"])
    fields.remove("B")
    #expect(fields.map(\.value) == ["4", "5"])
  }

  struct List: Sendable {
    let value: String
    let tokens: [String]
  }

  @Test(
    "RFC 9110 §5.6.1: a list is split at its commas, but not inside quoted strings",
    arguments: [
      List(value: "", tokens: []),
      List(value: "a", tokens: ["a"]),
      List(value: "a,b", tokens: ["a", "b"]),
      List(value: " a\t,\tb ", tokens: ["a", "b"]),
      List(value: ",a,, ,b,", tokens: ["a", "b"]),
      List(value: "a b", tokens: ["a b"]),
      List(value: "\"a,b\", c", tokens: ["\"a,b\"", "c"]),
      List(value: "a=\"b\\\",c\", d", tokens: ["a=\"b\\\",c\"", "d"]),
      List(value: "\"a, b", tokens: ["\"a, b"]),
    ])
  func lists(_ list: List) {
    let fields: FieldList = ["L": list.value, "l": "last"]
    #expect(fields.tokens(of: "L") == list.tokens + ["last"])
  }

  @Test("a token is found in upper or lower case, and in any of several fields with the same name")
  func contains() {
    let fields: FieldList = ["Connection": "keep-alive", "Connection": "x, UPGRADE"]
    #expect(fields.contains("upgrade", in: "connection"))
    #expect(!fields.contains("up", in: "connection"))
  }

  @Test("RFC 9110 §5.1: an attempt to create a field whose name is not a token ends the process")
  func precondition() async {
    await #expect(processExitsWith: .failure) { _ = Field(name: "a b", value: "") }
  }
}

@Suite("Authorities, RFC 3986 §3.2")
struct AuthorityTests {
  @Test("an authority is parsed into a host in lower case and a port")
  func parts() throws {
    let named = try #require(Authority("Draw.Example:8443"))
    #expect(named.host == "draw.example")
    #expect(named.port == 8_443)
    #expect(named == Authority("draw.EXAMPLE:08443"))
    #expect(Authority("[2001:DB8::1]")?.host == "[2001:db8::1]")
    #expect(Authority("127.0.0.1:0")?.port == 0)
  }

  @Test("an authority without a port has the default port of the scheme")
  func ports() throws {
    let plain = try #require(Authority("h"))
    #expect(plain.port(forScheme: "http") == 80)
    #expect(plain.port(forScheme: "HTTPS") == 443)
    #expect(Authority("h:81")?.port(forScheme: "http") == 81)
  }
}
