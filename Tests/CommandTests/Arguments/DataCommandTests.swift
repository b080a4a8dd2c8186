import Gateway
import Testing
import Wire

@testable import drawtogether

/// Parsing of the commands on a data folder.
@Suite("The command lines of the commands on a data folder are parsed")
struct DataCommandTests {
  private static let whole = "AbCdEfGhIjKlMnOpQrStUw"
  /// An id that looks like a flag.
  private static let dashed = "--ta--JSON-_-Id000000A"

  struct Read: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var environment: [String: String] = [:]
    let folder: String
    let action: DataCommand.Action
    var testDescription: String { "\(arguments) \(environment)" }

    init(
      _ arguments: String..., environment: [String: String] = [:], folder: String = "data",
      is action: DataCommand.Action
    ) {
      self.arguments = arguments
      self.environment = environment
      self.folder = folder
      self.action = action
    }
  }

  private static func prefix(_ text: String) -> SessionPrefix {
    guard let prefix = SessionPrefix(text) else { preconditionFailure("\(text) begins no id") }
    return prefix
  }

  @Test(
    "The action, the data folder and the session of a command are parsed",
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
      // A data command in a gateway's container gets the gateway's environment variables. The command must not reject them.
      Read(
        "sessions",
        environment: ["DRAWTOGETHER_HTTP": "off", "DRAWTOGETHER_HTTPS": "off", "DRAWTOGETHER_HSTS": "on"],
        is: .list(asJSON: false)),
    ])
  func reads(_ read: Read) throws {
    let invocation = try ArgumentParser.parse(
      arguments: read.arguments, environment: read.environment, cores: 4)
    #expect(invocation == .data(DataCommand(folder: read.folder, action: read.action)))
  }

  @Test(
    "Invalid arguments are reported in one sentence",
    arguments: [
      (["export"], "export needs a session: the beginning of an id from \"drawtogether sessions\"."),
      (
        ["restore"],
        "restore needs the folder of a backup, or the beginning of a session's id, which "
          + "\"drawtogether sessions\" shows."
      ),
      (["backup"], "backup needs a folder for the backup: a new or an empty one."),
      (["backup", ""], "backup needs a folder for the backup: a new or an empty one."),
      (["backup", "a", "b"], "unexpected argument \"b\": backup takes one folder."),
      (["export", "Ab", "Cd"], "unexpected argument \"Cd\": export takes one session."),
      (
        ["backup", "a", "--state"],
        "unknown flag --state; --help lists all flags."
      ),
      (
        ["backup", "a", "--http=off"],
        "backup does not take --http: its flags are --data and --disk-reserve-bytes and --json."
      ),
      (
        ["export", "a b"],
        "\"a b\" is not the beginning of a session's id: expected 1 to 22 letters, digits, - and _."
      ),
      (
        ["verify", ""],
        "\"\" is not the beginning of a session's id: expected 1 to 22 letters, digits, - and _."
      ),
      (
        ["verify", whole + "x"],
        "\"\(whole)x\" is not the beginning of a session's id: expected 1 to 22 letters, digits, - and _."
      ),
      (["restore", "Ab", "Cd"], "unexpected argument \"Cd\": restore takes one folder or session."),
      (
        ["sessions", "Ab"],
        "unexpected argument \"Ab\": each setting is a flag that begins with --; see --help."
      ),
      (["sessions", "--state"], "unknown flag --state; --help lists all flags."),
      (["verify", "--jsn"], "unknown flag --jsn; --help lists all flags."),
      (["verify", "--http", "off"], "verify does not take --http: its flags are --data."),
      (
        ["export", "Ab", "--reactors=2"], "export does not take --reactors: its flags are --data and --state."
      ),
      (["export", "Ab", "--check-config"], "unknown flag --check-config; --help lists all flags."),
      (["sessions", "--json=perhaps"], "invalid value \"perhaps\" for --json: expected true or false."),
      (["sessions", "--data"], "missing value for --data: expected a directory."),
      (["--json"], "unknown flag --json; --help lists all flags."),
    ])
  func refuses(_ arguments: [String], _ words: String) {
    let error = #expect(throws: CommandError.self) {
      try ArgumentParser.parse(arguments: arguments, environment: [:], cores: 4)
    }
    #expect(error?.description == words)
  }

  @Test("A session prefix matches the ids that begin with it. The comparison is case-sensitive")
  func matches() throws {
    let session = try #require(SessionID(Self.whole))
    for (text, fits) in [("A", true), ("AbCdEf…", true), (Self.whole, true), ("ab", false), ("b", false)] {
      #expect(Self.prefix(text).matches(session) == fits, "\(text)")
    }
  }
}
