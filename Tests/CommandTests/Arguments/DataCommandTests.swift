import Gateway
import Testing
import Wire

@testable import drawtogether

/// What command lines make of the commands about a data folder.
@Suite("Commands about a data folder")
struct DataCommandTests {
  private static let whole = "AbCdEfGhIjKlMnOpQrStUw"
  /// An id may look like a flag.
  private static let dashed = "--ta--JSON-_-Id000000A"

  struct Read: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var environment: [String: String] = [:]
    let folder: String
    let work: DataCommand.Work
    var testDescription: String { "\(arguments) \(environment)" }

    init(
      _ arguments: String..., environment: [String: String] = [:], folder: String = "data",
      is work: DataCommand.Work
    ) {
      self.arguments = arguments
      self.environment = environment
      self.folder = folder
      self.work = work
    }
  }

  private static func prefix(_ text: String) -> SessionPrefix {
    guard let prefix = SessionPrefix(text) else { preconditionFailure("\(text) begins no id") }
    return prefix
  }

  @Test(
    "What is asked, of which folder and which session",
    arguments: [
      Read("sessions", is: .list(asJSON: false)),
      Read("sessions", "--json", is: .list(asJSON: true)),
      Read("sessions", "--json", "--json=off", is: .list(asJSON: false)),
      Read("sessions", "--data", "/srv/draw", folder: "/srv/draw", is: .list(asJSON: false)),
      Read("export", "AbCd", is: .export(prefix("AbCd"), onlyRetained: false)),
      Read("export", "AbCdEf…", "--state", is: .export(prefix("AbCdEf"), onlyRetained: true)),
      Read("export", "--state=no", "A", is: .export(prefix("A"), onlyRetained: false)),
      Read("export", "-Ab", is: .export(prefix("-Ab"), onlyRetained: false)),
      Read("export", dashed, is: .export(prefix(dashed), onlyRetained: false)),
      Read("export", "--state", "--", "--da", is: .export(prefix("--da"), onlyRetained: true)),
      Read("end", whole, is: .change(prefix(whole), .end)),
      Read("delete", "AbCdEf…", is: .change(prefix("AbCdEf"), .delete)),
      Read("delete", dashed, "--now", is: .change(prefix(dashed), .deleteNow)),
      Read("verify", is: .verify(nil)),
      Read("verify", whole, is: .verify(prefix(whole))),
      Read(
        "restore", whole, "--data=d", folder: "d",
        is: .restore(.either(whole, prefix(whole)), asJSON: false)),
      Read("restore", "AbCdEf…", is: .restore(.session(prefix("AbCdEf")), asJSON: false)),
      Read("restore", "./AbCd", "--json", is: .restore(.backup("./AbCd"), asJSON: true)),
      Read("restore", "/srv/backup", is: .restore(.backup("/srv/backup"), asJSON: false)),
      Read("restore", "..", is: .restore(.backup(".."), asJSON: false)),
      Read("restore", "on 1.5.", is: .restore(.backup("on 1.5."), asJSON: false)),
      Read("restore", dashed, is: .restore(.either(dashed, prefix(dashed)), asJSON: false)),
      Read("backup", "b", is: .backup(to: "b", reserve: 256 << 20, asJSON: false)),
      Read(
        "backup", "--json", "/b", "--disk-reserve-bytes", "1K", "--data", "d", folder: "d",
        is: .backup(to: "/b", reserve: 1024, asJSON: true)),
      Read("backup", "--", "--b", is: .backup(to: "--b", reserve: 256 << 20, asJSON: false)),
      Read("verify", environment: ["DRAWTOGETHER_DATA": "/data"], folder: "/data", is: .verify(nil)),
      Read(
        "verify", "--data", "here", environment: ["DRAWTOGETHER_DATA": "/data"], folder: "here",
        is: .verify(nil)),
      // What the gateway's own environment says is no hindrance within its container.
      Read(
        "sessions",
        environment: ["DRAWTOGETHER_HTTP": "off", "DRAWTOGETHER_HTTPS": "off", "DRAWTOGETHER_HSTS": "on"],
        is: .list(asJSON: false)),
    ])
  func reads(_ read: Read) throws {
    let invocation = try ConfigurationReader.read(
      arguments: read.arguments, environment: read.environment, cores: 4)
    #expect(invocation == .data(DataCommand(folder: read.folder, work: read.work)))
  }

  @Test(
    "What is wrong is said in one sentence",
    arguments: [
      (["export"], "export needs a session: the beginning of its id, as \"drawtogether sessions\" shows it."),
      (
        ["restore"],
        "restore needs the folder of a backup, or a session: the beginning of its id, as \"drawtogether sessions\" "
          + "shows it."
      ),
      (["backup"], "backup needs a folder for the backup: a new one, or one that is empty."),
      (["backup", ""], "backup needs a folder for the backup: a new one, or one that is empty."),
      (["backup", "a", "b"], "\"b\" was not expected: backup takes one folder."),
      (["export", "Ab", "Cd"], "\"Cd\" was not expected: export takes one session."),
      (
        ["backup", "a", "--state"],
        "--state is not known; --help lists what is."
      ),
      (
        ["backup", "a", "--http=off"],
        "--http is not for backup: it takes --data and --disk-reserve-bytes and --json."
      ),
      (
        ["export", "a b"],
        "\"a b\" is not the beginning of a session's id: it has 1 to 22 letters, digits, - and _."
      ),
      (
        ["verify", ""],
        "\"\" is not the beginning of a session's id: it has 1 to 22 letters, digits, - and _."
      ),
      (
        ["verify", whole + "x"],
        "\"\(whole)x\" is not the beginning of a session's id: it has 1 to 22 letters, digits, - and _."
      ),
      (["restore", "Ab", "Cd"], "\"Cd\" was not expected: restore takes one folder or session."),
      (["sessions", "Ab"], "\"Ab\" was not expected: every setting has a flag with two dashes, see --help."),
      (["sessions", "--state"], "--state is not known; --help lists what is."),
      (["verify", "--jsn"], "--jsn is not known; --help lists what is."),
      (["verify", "--http", "off"], "--http is not for verify: it takes --data."),
      (["export", "Ab", "--reactors=2"], "--reactors is not for export: it takes --data and --state."),
      (["export", "Ab", "--check-config"], "--check-config is not known; --help lists what is."),
      (["sessions", "--json=perhaps"], "--json does not take \"perhaps\": it takes true or false."),
      (["sessions", "--data"], "--data needs a value: it takes the name of a directory."),
      (["--json"], "--json is not known; --help lists what is."),
    ])
  func refuses(_ arguments: [String], _ words: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.read(arguments: arguments, environment: [:], cores: 4)
    }
    #expect(error?.description == words)
  }

  @Test("A prefix fits what begins with it, letter by letter")
  func matches() throws {
    let session = try #require(SessionID(Self.whole))
    for (text, fits) in [("A", true), ("AbCdEf…", true), (Self.whole, true), ("ab", false), ("b", false)] {
      #expect(Self.prefix(text).matches(session) == fits, "\(text)")
    }
  }
}
