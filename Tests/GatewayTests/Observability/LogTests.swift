import Synchronization
import Testing
import Networking
import Wire

@testable import Gateway

@Suite("Log lines of the gateway")
struct LogTests {
  private let time = LogTime(millisecondsSince1970: 1_795_264_159_042)

  private func line(
    _ format: Log.Format, _ event: String, _ fields: KeyValuePairs<String, LogValue>
  ) -> String {
    String(
      decoding: LogLine(time: time, level: .info, event: event, fields: fields).bytes(in: format),
      as: UTF8.self)
  }

  @Test("A log line has time, level and event, and then its fields in the given order")
  func order() {
    let fields: KeyValuePairs<String, LogValue> = [
      "code": "1000", "bytes": 12, "tls": true, "took": .milliseconds(.microseconds(2500)),
      "n": .number(UInt64.max),
    ]
    #expect(
      line(.text, "connection closed", fields)
        == "time=2026-11-21T12:29:19.042Z level=info event=\"connection closed\" code=1000 bytes=12 tls=true"
        + " took=2 n=9223372036854775807\n")
    #expect(
      line(.json, "connection closed", fields)
        == "{\"time\":\"2026-11-21T12:29:19.042Z\",\"level\":\"info\",\"event\":\"connection closed\","
        + "\"code\":\"1000\",\"bytes\":12,\"tls\":true,\"took\":2,\"n\":9223372036854775807}\n")
  }

  @Test(
    "Characters that would end a line or a quoted value, or control a terminal, are escaped",
    arguments: [
      ("plain", "plain", "\"plain\""), ("", "\"\"", "\"\""), ("two words", "\"two words\"", "\"two words\""),
      ("a=b", "\"a=b\"", "\"a=b\""), ("say \"hi\"", #""say \"hi\"""#, #""say \"hi\"""#),
      ("back\\slash", #""back\\slash""#, #""back\\slash""#), ("a\nb\r\tc", #""a\nb\r\tc""#, #""a\nb\r\tc""#),
      ("\u{1B}[31m", #""\u001b[31m""#, #""\u001b[31m""#), ("\0", #""\u0000""#, #""\u0000""#),
      ("\u{2028}\u{202E}", #""\u2028\u202e""#, #""\u2028\u202e""#),
      ("\u{E0001}", #""\udb40\udc01""#, #""\udb40\udc01""#), ("größe", "größe", "\"größe\""),
    ])
  func escapes(_ value: String, _ text: String, _ json: String) {
    #expect(line(.text, "e", ["v": .string(value)]) == "time=\(time) level=info event=e v=\(text)\n")
    #expect(
      line(.json, "e", ["v": .string(value)])
        == "{\"time\":\"\(time)\",\"level\":\"info\",\"event\":\"e\",\"v\":\(json)}\n")
  }

  @Test("Only the beginning of a session's id is logged")
  func session() throws {
    let id = try #require(SessionID("AbCdEfGhIjKlMnOpQrStUw"))
    #expect(line(.text, "e", ["session": .session(id)]).hasSuffix(" session=AbCdEf…\n"))
  }

  @Test(
    "An address is logged completely, as its network, or not at all, depending on the setting",
    arguments: [
      ("198.51.100.7", .full, "198.51.100.7"), ("198.51.100.7", .masked, "198.51.100.0"),
      ("198.51.100.7", .off, ""), ("2001:db8:1:2:3:4:5:6", .full, "2001:db8:1:2:3:4:5:6"),
      ("2001:db8:1:2:3:4:5:6", .masked, "2001:db8:1::"), ("::1", .masked, "::"), ("::1", .off, ""),
    ] as [(String, Log.AddressDetail, String)])
  func addresses(_ text: String, _ detail: Log.AddressDetail, _ shown: String) throws {
    let address = try #require(IPAddress(text))
    let lines = Mutex<[String]>([])
    for format in Log.Format.allCases {
      let log = Log(
        level: .info, format: format, addresses: detail, clock: { time },
        output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } })
      log(.info, "e", ["remote": .address(address)])
    }
    let (inText, inJSON) = (shown.isEmpty ? "\"\"" : shown, "\"\(shown)\"")
    #expect(
      lines.withLock { $0 } == [
        "time=\(time) level=info event=e remote=\(inText)\n",
        "{\"time\":\"\(time)\",\"level\":\"info\",\"event\":\"e\",\"remote\":\(inJSON)}\n",
      ])
  }

  @Test(
    "Each log line is written with one call of the output; the fields of a line below the log level are not evaluated"
  )
  func levels() {
    let lines = Mutex<[String]>([])
    let made = Mutex(0)
    func fields() -> KeyValuePairs<String, LogValue> {
      made.withLock { $0 += 1 }
      return ["a": 1]
    }
    let log = Log(
      level: .warning, format: .text, clock: { LogTime(millisecondsSince1970: 0) },
      output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } })
    log(.debug, "no", fields())
    log(.info, "no", fields())
    log(.warning, "yes", fields())
    log(.error, "yes")
    #expect(
      lines.withLock { $0 } == [
        "time=1970-01-01T00:00:00.000Z level=warning event=yes a=1\n",
        "time=1970-01-01T00:00:00.000Z level=error event=yes\n",
      ])
    #expect(made.withLock { $0 } == 1)
  }

  @Test(
    "Times are logged in UTC and the Gregorian calendar",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_001, "2024-02-29T23:59:59.001Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func times(_ milliseconds: Int64, _ text: String) {
    #expect(LogTime(millisecondsSince1970: milliseconds).description == text)
  }
}
