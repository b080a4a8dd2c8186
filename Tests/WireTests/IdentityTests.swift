import Testing
import Wire
import TestSupport

/// PROTOCOL 1: ids and tokens of 128 bits in 22 characters.
@Suite("PROTOCOL 1: session ids and tokens")
struct IdentityTests {
  @Test(
    "RFC 4648 §5: 128 bits are written as 22 characters of base64url, and read again",
    arguments: [
      (0, 0, "AAAAAAAAAAAAAAAAAAAAAA"), (.max, .max, "_____________________w"),
      (0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF, "ABEiM0RVZneImaq7zN3u_w"),
      (0xFBEF_BEFB_EFBE_FBEF, 0xBEFB_EFBE_FBEF_BEFB, "----------------------".dropLast() + "w"),
    ] as [(UInt64, UInt64, String)])
  func texts(_ high: UInt64, _ low: UInt64, _ text: String) {
    let id = SessionID(high: high, low: low)
    #expect(id.text == text)
    #expect(SessionID(text) == id)
    let spanned = SessionID(WireTests.bytes(text).span)
    #expect(spanned == id)
    let token = Token(high: high, low: low)
    #expect(token.text == text)
    #expect(Token(text) == token)
  }

  @Test(
    "a text that is not the base64url of 128 bits is refused",
    arguments: [
      "", "A", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB",
      "AAAAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAAAA/A", "AAAAAAAAAAAAAAAAAAAA+A",
      " AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAé",
    ])
  func refuses(_ text: String) {
    #expect(SessionID(text) == nil)
    #expect(Token(text) == nil)
    let spanned = SessionID(WireTests.bytes(text).span)
    #expect(spanned == nil)
  }

  @Test("an id with any single bit set can be read from its text")
  func bits() {
    for bit in 0..<128 {
      let id = SessionID(high: bit < 64 ? 1 << bit : 0, low: bit < 64 ? 0 : 1 << (bit - 64))
      #expect(id.text.utf8.count == 22)
      #expect(SessionID(id.text) == id)
    }
  }

  @Test(
    "the description of an id has only its first six characters, and the description of a token has none of its characters"
  )
  func descriptions() {
    #expect("\(SessionID(high: 0x0011_2233_4455_6677, low: 0))" == "ABEiM0…")
    #expect("\(Token(high: 0x0011_2233_4455_6677, low: 0))" == "(token)")
  }
}

/// PROTOCOL 2.1: names and colors.
@Suite("PROTOCOL 2.1: profiles")
struct ProfileTests {
  @Test(
    "forbidden characters are removed from a name before it is truncated; an empty name counts as missing",
    arguments: [
      ("Ada", "Ada"), (" Ada  Lovelace\t", "Ada  Lovelace"), ("A\u{0}d\u{1F}a\u{7F}\u{85}", "Ada"),
      ("\u{202E}Ada\u{200B}\u{FEFF}", "Ada"), ("A\u{2028}d\u{2029}a", "Ada"), ("", nil), (" \n ", nil),
      ("\u{200D}", nil), ("\u{3000}x\u{3000}", "x"), ("e\u{301}", "e\u{301}"), ("名前", "名前"),
      (String(repeating: "x", count: 65), String(repeating: "x", count: 64)),
      (String(repeating: "😀", count: 65), String(repeating: "😀", count: 64)),
      (String(repeating: "a", count: 63) + "  b", String(repeating: "a", count: 63)),
      ("\u{200B} \u{200B}x", "x"),
    ] as [(String, String?)])
  func names(_ sent: String, _ kept: String?) {
    let name = Profile(name: sent).sanitised.name
    #expect(name.map { Array($0.unicodeScalars) } == kept.map { Array($0.unicodeScalars) })
  }

  @Test(
    "a color is # and six hex digits; any other text counts as missing",
    arguments: [
      ("#e4572e", "#e4572e"), ("#E4572E", "#e4572e"), ("#fff", nil), ("e4572e0", nil), ("red", nil),
      ("#e4572g", nil), ("#e4572é", nil), ("#e4572e ", nil), ("", nil),
    ] as [(String, String?)])
  func colors(_ sent: String, _ kept: String?) {
    #expect(Profile(color: sent).sanitised.color == kept)
  }

  @Test("a generated name is valid, has two words, and varies")
  func madeUp() {
    var random = SeededGenerator(seed: 1)
    var names: Set<String> = [NameGenerator.name(random: 0), NameGenerator.name(random: .max)]
    for _ in 0..<2_000 {
      let name = NameGenerator.name(random: random.next())
      #expect(Profile(name: name).sanitised.name == name)
      #expect(name.split(separator: " ").count == 2)
      names.insert(name)
    }
    #expect(names.count > 1_000)
    #expect(NameGenerator.name(random: 77) == NameGenerator.name(random: 77))
  }
}

/// PROTOCOL 5: the limits, and the command-line flags that set them.
@Suite("PROTOCOL 5: limits")
struct LimitsTests {
  @Test(
    "each limit has its default value and its command-line flag",
    arguments: [
      ("messageBytes", 262_144, "--max-message-bytes", "DRAWTOGETHER_MAX_MESSAGE_BYTES"),
      (
        "sessionsPerAddressPerMinute", 30, "--max-sessions-per-address-per-minute",
        "DRAWTOGETHER_MAX_SESSIONS_PER_ADDRESS_PER_MINUTE"
      ),
      ("joinSeconds", 10, "--join-seconds", "DRAWTOGETHER_JOIN_SECONDS"),
      ("entriesPerSecond", 2_000, "--max-entries-per-second", "DRAWTOGETHER_MAX_ENTRIES_PER_SECOND"),
      ("bodyStallSeconds", 20, "--body-stall-seconds", "DRAWTOGETHER_BODY_STALL_SECONDS"),
      (
        "minimumBodyBytesPerSecond", 1_024, "--minimum-body-bytes-per-second",
        "DRAWTOGETHER_MINIMUM_BODY_BYTES_PER_SECOND"
      ),
      ("bodyRateSeconds", 30, "--body-rate-seconds", "DRAWTOGETHER_BODY_RATE_SECONDS"),
      ("sessions", 10_000, "--max-sessions", "DRAWTOGETHER_MAX_SESSIONS"),
      (
        "sessionAttachmentBytes", 2_147_483_648, "--max-session-attachment-bytes",
        "DRAWTOGETHER_MAX_SESSION_ATTACHMENT_BYTES"
      ),
      (
        "attachmentsPerSession", 1_000, "--max-attachments-per-session",
        "DRAWTOGETHER_MAX_ATTACHMENTS_PER_SESSION"
      ),
      ("uploads", 256, "--max-uploads", "DRAWTOGETHER_MAX_UPLOADS"),
      (
        "unsavedSessionBytes", 16_777_216, "--max-unsaved-session-bytes",
        "DRAWTOGETHER_MAX_UNSAVED_SESSION_BYTES"
      ),
      ("sessionIdleSeconds", 60, "--session-idle-seconds", "DRAWTOGETHER_SESSION_IDLE_SECONDS"),
      ("memoryBytes", 2_147_483_648, "--max-memory-bytes", "DRAWTOGETHER_MAX_MEMORY_BYTES"),
      ("unsavedBytes", 268_435_456, "--max-unsaved-bytes", "DRAWTOGETHER_MAX_UNSAVED_BYTES"),
      ("historyBytes", 67_108_864, "--max-history-bytes", "DRAWTOGETHER_MAX_HISTORY_BYTES"),
      ("diskReserveBytes", 268_435_456, "--disk-reserve-bytes", "DRAWTOGETHER_DISK_RESERVE_BYTES"),
    ])
  func flags(_ name: String, _ value: Int, _ flag: String, _ variable: String) throws {
    let limit = try #require(Limits.all.first { $0.name == name })
    #expect(Limits()[keyPath: limit.keyPath] == value)
    #expect(limit.flag == flag)
    #expect(limit.environmentVariable == variable)
  }

  @Test("each limit is in `Limits.all` once, with its own property, and its default is a valid value")
  func table() {
    #expect(Limits.all.count == 39)
    #expect(Set(Limits.all.map(\.name)).count == 39)
    #expect(Set(Limits.all.map(\.flag)).count == 39)
    for (index, limit) in Limits.all.enumerated() {
      #expect(limit.range.contains(Limits()[keyPath: limit.keyPath]))
      #expect(!limit.help.isEmpty)
      var limits = Limits()
      limits[keyPath: limit.keyPath] = 1_000_000_000 + index
      #expect(
        text(WireJSON.encode(limits)).contains(#""\#(limit.name)":\#(1_000_000_000 + index)"#))
    }
  }
}
