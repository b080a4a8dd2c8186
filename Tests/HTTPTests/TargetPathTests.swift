import HTTP
import Testing

@Suite("Request paths of static files are decoded, and dangerous paths are refused")
struct TargetPathTests {
  struct Accepted: Sendable {
    let path: String
    let components: [String]
    var isDirectory = false
  }

  @Test(
    "a percent-encoded path is decoded only once, and split into components",
    arguments: [
      Accepted(path: "/", components: [], isDirectory: true),
      Accepted(path: "/index.html", components: ["index.html"]),
      Accepted(path: "/js/session/messenger.js", components: ["js", "session", "messenger.js"]),
      Accepted(path: "/js/", components: ["js"], isDirectory: true),
      Accepted(path: "/a%20b", components: ["a b"]),
      Accepted(path: "/%61%2Ejs", components: ["a.js"]),
      Accepted(path: "/caf%C3%A9", components: ["caf\u{E9}"]),
      Accepted(path: "/a..b", components: ["a..b"]),
      Accepted(path: "/a.", components: ["a."]),
      Accepted(path: "/a+b", components: ["a+b"]),
      // If the dots are encoded twice, the component is an ordinary name.
      Accepted(path: "/%252e%252e/x", components: ["%2e%2e", "x"]),
      Accepted(path: "/%25", components: ["%"]),
      Accepted(path: "/a%3Fb", components: ["a?b"]),
      Accepted(path: "/\u{FF0E}\u{FF0E}/x", components: ["\u{FF0E}\u{FF0E}", "x"]),
    ])
  func accepts(_ accepted: Accepted) throws {
    let path = try TargetPath.resolve(accepted.path)
    #expect(path.components == accepted.components)
    #expect(path.isDirectory == accepted.isDirectory)
  }

  struct Refusal: Sendable {
    let path: String
    let fault: TargetPathError
  }

  @Test(
    "path traversal is refused in every encoding",
    arguments: [
      Refusal(path: "", fault: .notAbsolute),
      Refusal(path: "*", fault: .notAbsolute),
      Refusal(path: "index.html", fault: .notAbsolute),
      Refusal(path: "..", fault: .notAbsolute),
      Refusal(path: "/..", fault: .dotComponent),
      Refusal(path: "/../etc/passwd", fault: .dotComponent),
      Refusal(path: "/js/../../etc/passwd", fault: .dotComponent),
      Refusal(path: "/.", fault: .dotComponent),
      Refusal(path: "/./a", fault: .dotComponent),
      Refusal(path: "/a/..", fault: .dotComponent),
      Refusal(path: "/a/../", fault: .dotComponent),
      Refusal(path: "/%2e%2e/x", fault: .dotComponent),
      Refusal(path: "/%2E./x", fault: .dotComponent),
      Refusal(path: "/.%2e/x", fault: .dotComponent),
      Refusal(path: "/...", fault: .dotComponent),
      Refusal(path: "/.git/config", fault: .dotComponent),
      Refusal(path: "/a/.env", fault: .dotComponent),
      // A dot and a combining accent are one `Character`, but two code points: the name begins with a dot.
      Refusal(path: "/.%CC%81env", fault: .dotComponent),
      Refusal(path: "/..%2f..%2fetc", fault: .encodedSeparator),
      Refusal(path: "/a%2Fb", fault: .encodedSeparator),
      Refusal(path: "/..%5c..%5cx", fault: .backslash),
      Refusal(path: "/a\\b", fault: .backslash),
      Refusal(path: "/a%00.html", fault: .controlCharacter(0)),
      Refusal(path: "/a%0Ab", fault: .controlCharacter(0x0A)),
      Refusal(path: "/a%7F", fault: .controlCharacter(0x7F)),
      Refusal(path: "//etc/passwd", fault: .emptyComponent),
      Refusal(path: "/a//b", fault: .emptyComponent),
      Refusal(path: "/a//", fault: .emptyComponent),
      Refusal(path: "/%", fault: .malformedPercentEncoding),
      Refusal(path: "/%4", fault: .malformedPercentEncoding),
      Refusal(path: "/%zz", fault: .malformedPercentEncoding),
      Refusal(path: "/%u002e", fault: .malformedPercentEncoding),
      Refusal(path: "/%+1", fault: .malformedPercentEncoding),
      Refusal(path: "/%C0%AE%C0%AE/x", fault: .malformedUTF8),
      Refusal(path: "/%C0%AF", fault: .malformedUTF8),
      Refusal(path: "/%E0%80%AE", fault: .malformedUTF8),
      Refusal(path: "/%F0%80%80%AE", fault: .malformedUTF8),
      Refusal(path: "/%ED%A0%80", fault: .malformedUTF8),
      Refusal(path: "/%FF", fault: .malformedUTF8),
      Refusal(path: "/%E9", fault: .malformedUTF8),
      Refusal(path: "/" + String(repeating: "a", count: 256), fault: .componentTooLong(limit: 255)),
      Refusal(path: String(repeating: "/a", count: 33), fault: .tooDeep(limit: 32)),
    ])
  func refuses(_ refusal: Refusal) {
    #expect(throws: refusal.fault) { try TargetPath.resolve(refusal.path) }
  }

  @Test("a name of 255 bytes and a path of 32 components are accepted: both are the maximum")
  func limits() throws {
    let name = String(repeating: "a", count: 255)
    #expect(try TargetPath.resolve("/" + name).components == [name])
    #expect(try TargetPath.resolve(String(repeating: "/a", count: 32)).components.count == 32)
  }

  @Test("a path of any two percent-encoded bytes is refused or has only plain file names as components")
  func everyPairOfBytes() {
    for high in UInt8.min...UInt8.max {
      for low in UInt8.min...UInt8.max {
        let path = "/" + [high, low].map { "%" + hex($0) }.joined()
        // Refused paths need no check here, because other tests check which paths are refused.
        guard let resolved = try? TargetPath.resolve(path) else { continue }
        for component in resolved.components {
          let bytes = Array(component.utf8)
          #expect(bytes.first != 0x2E && !bytes.contains { $0 == 0x2F || $0 == 0x5C || $0 == 0 })
        }
      }
    }
  }

  private func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
