import Gateway
import Testing

@testable import drawtogether

/// Output and exit code of the program.
@Suite("The program drawtogether: its output and its exit codes")
struct DrawTogetherCommandTests {
  private func run(_ arguments: [String], _ environment: [String: String] = [:]) -> CommandRun {
    CommandRun(arguments, environment)
  }

  @Test(
    "The help is printed to standard output, and the exit code is 0",
    arguments: [["--help"], ["-h"], ["help"], ["serve", "--help"]])
  func help(_ arguments: [String]) {
    let result = run(arguments)
    #expect(result.code == 0)
    #expect(result.output == CommandHelp.text)
    #expect(result.errors.isEmpty)
  }

  @Test("--version prints the version in one line")
  func version() {
    let result = run(["--version"])
    #expect(result.code == 0)
    #expect(result.output == "drawtogether \(Product.version)\n")
  }

  @Test("An invalid value, unknown flag or unknown variable causes exit code 2 and a one-sentence error")
  func usage() {
    let value = run(["--reactors", "many"])
    #expect(value.code == 2)
    #expect(value.output.isEmpty)
    #expect(
      value.errors
        == "drawtogether: invalid value \"many\" for --reactors: expected a whole number from 1 to 256.\n")
    #expect(run(["--confetti"]).errors == "drawtogether: unknown flag --confetti; --help lists all flags.\n")
    #expect(run([], ["DRAWTOGETHER_CONFETTI": "1"]).code == 2)
  }

  @Test("--check-config prints the value and the origin of each setting, and does not start a gateway")
  func checkConfiguration() {
    let result = run(
      [
        "--check-config", "--http", "127.0.0.1:1", "--disk-reserve-bytes", "0", "--max-connections", "100",
        "--max-memory-bytes", "256M",
      ],
      ["DRAWTOGETHER_HTTP": "127.0.0.1:2", "DRAWTOGETHER_METRICS_TOKEN": "hush", "DRAWTOGETHER_HTTPS": "off"])
    #expect(result.code == 0)
    #expect(result.errors.isEmpty)
    let rows = result.lines.map { $0.split(separator: " ") }
    #expect(rows.contains(["--http", "127.0.0.1:1", "flag"]))
    #expect(rows.contains(["--https", "off", "DRAWTOGETHER_HTTPS"]))
    #expect(rows.contains(["--metrics-token", "set", "DRAWTOGETHER_METRICS_TOKEN"]))
    #expect(rows.contains(["--reactors", "2", "cores"]))
    #expect(!result.output.contains("hush"))
  }

  @Test("--check-config prints all errors that a start would report, with the same texts")
  func checkFaults() throws {
    let checked = run([
      "--check-config", "--public", "/nonexistent/folder", "--data", "/etc/hostname", "--https", "off",
      "--metrics-token-file", "/etc/hosts/token",
    ])
    #expect(checked.code == 2)
    #expect(checked.output.contains("--public "))
    #expect(
      checked.errors
        == "drawtogether: --metrics-token-file /etc/hosts/token cannot be read (open: Not a directory): expected a"
        + " file that contains the token.\n")
    let arguments = [
      "--public", "/nonexistent/folder", "--data", "/etc/hostname", "--http", "127.0.0.1:0", "--https=off",
    ]
    let both = run(arguments + ["--check-config", "--disk-reserve-bytes=0"])
    #expect(both.code == 2)
    let lines = both.errors.split(separator: "\n").filter { !$0.contains("warning") }.map { String($0) }
    #expect(
      lines == [
        "drawtogether: --public: /nonexistent/folder cannot be read (open: No such file or directory)",
        "drawtogether: --data: the data folder /etc/hostname is not a folder",
      ])
    let served = try ChildProcess(arguments: arguments)
    #expect(served.errorLine() == lines[0])
    #expect(served.end() == 2)
  }

  @Test("The command `health` exits with code 1 and a reason if the configured port is 0")
  func health() {
    let result = run(["health", "--http", "127.0.0.1:0"])
    #expect(result.code == 1)
    #expect(
      result.errors
        == "drawtogether: the address has port 0; \"drawtogether health\" needs the gateway's actual port\n")
  }

  @Test(
    "If the folder with the page's files is missing, the program exits with code 2 before it serves a request"
  )
  func startFailures() throws {
    // This test uses a separate process, because a serving program changes the handling of signals and of ended child
    // processes.
    let child = try ChildProcess(
      arguments: ["--public", "/nonexistent/folder", "--http", "127.0.0.1:0", "--https", "off"])
    #expect(
      child.errorLine()
        == "drawtogether: --public: /nonexistent/folder cannot be read (open: No such file or directory)")
    #expect(child.end() == 2)
    #expect(child.outputLine().isEmpty)
  }

  @Test(
    "The folder of the page is found in the default location or beside the program. An explicit folder is used unchanged",
    arguments: [
      ("Public", true, ["Public"], "Public"),
      (
        "Public", true, ["/usr/local/bin/../share/drawtogether/Public"],
        "/usr/local/bin/../share/drawtogether/Public"
      ),
      ("Public", true, ["/usr/local/bin/../../../Public"], "/usr/local/bin/../../../Public"),
      ("Public", true, ["/usr/local/bin/../../../../Public"], "/usr/local/bin/../../../../Public"),
      ("Public", true, [], "Public"), ("site", false, ["/usr/local/bin/../../../Public"], "site"),
    ] as [(String, Bool, [String], String)])
  func publicDirectory(_ configured: String, _ isDefault: Bool, _ pages: [String], _ found: String) {
    let directory = PublicDirectory.find(
      configured, isDefault: isDefault, program: "/usr/local/bin/drawtogether", hasPage: pages.contains)
    #expect(directory == found)
  }
}
