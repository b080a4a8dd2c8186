import Gateway
import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import drawtogether

/// The checks of a machine before a gateway starts.
@Suite("The configuration is checked before a start, and all errors are reported")
struct StartCheckTests {
  private let folder = TemporaryFolder()

  init() throws {
    try folder.write("<p>", to: "public/index.html")
    try folder.makeFolder("public/js")
  }

  private func configuration(_ change: (inout GatewayConfiguration) -> Void = { _ in })
    -> GatewayConfiguration
  {
    var configuration = GatewayConfiguration()
    configuration.publicDirectory = folder.path + "/public"
    configuration.dataDirectory = folder.path + "/data"
    change(&configuration)
    return configuration
  }

  private func errors(_ change: (inout GatewayConfiguration) -> Void = { _ in }) -> [String] {
    StartCheck(configuration(change)).errors().map(\.description)
  }

  @Test("The start check reports no error for a missing data folder, and does not create the folder")
  func well() throws {
    #expect(errors() == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
  }

  @Test("The start check reports all errors, not only the first one")
  func all() throws {
    try folder.write("", to: "file")
    let found = errors {
      $0.http = ListenAddress(host: "draw..example", port: 80)
      $0.publicDirectory = folder.path + "/js"
      $0.dataDirectory = folder.path + "/file"
      $0.certificateFile = folder.path + "/none.crt"
      $0.keyFile = folder.path + "/none.key"
      $0.limits.diskReserveBytes = 1 << 50
    }
    #expect(found.count == 5)
    for (words, beginning) in zip(
      found,
      [
        "--disk-reserve-bytes is 1024T, but the whole disk of --data \(folder.path)/file has ",
        "--http draw..example:80 names a host that was not found: ",
        "--public: \(folder.path)/js cannot be read (open: No such file or directory)",
        "--data: the data folder \(folder.path)/file is not a folder", "",
      ])
    {
      #expect(words.hasPrefix(beginning))
    }
    #expect(found.last?.contains("\(folder.path)/none.crt") == true)
  }

  @Test(
    "The start check reports an error if the key, the token or the data folder is inside the public folder of the page"
  )
  func published() throws {
    for name in ["public/key.pem", "public/js/token", "secret.pem"] { try folder.write("x", to: name) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: folder.path + "/public")
    #expect(
      errors { $0.metricsTokenFile = folder.path + "/public/js/token" } == [
        "--metrics-token-file \(folder.path)/public/js/token is in \(folder.path)/public, the folder of --public,"
          + " whose files are public: move it out."
      ])
    for data in ["public", "public/data", "public/a/b", "link/data", "public/js/../data/"] {
      #expect(errors { $0.dataDirectory = folder.path + "/" + data }.count == 1, "\(data)")
    }
    for data in ["public.data", "public/.data", "data/public"] {
      #expect(errors { $0.dataDirectory = folder.path + "/" + data } == [], "\(data)")
    }
    let started = #expect(throws: CommandError.self) {
      try StartCheck(configuration { $0.dataDirectory = folder.path + "/public" }).beforeStart()
    }
    #expect(started?.description == errors { $0.dataDirectory = folder.path + "/public" }.first)
  }

  @Test("A setting that is valid but probably a mistake causes a warning")
  func warnings() {
    func warnings(
      _ openFiles: Int? = nil, memory: Int? = nil, _ change: (inout GatewayConfiguration) -> Void
    ) -> [String] {
      ConfigurationWarnings.all(configuration(change), on: .init(openFiles: openFiles, memory: memory))
    }
    #expect(warnings(1 << 20, memory: 5 << 29) { $0.limits.diskReserveBytes = 0 } == [])
    #expect(
      warnings {
        $0.limits.sessionLogBytes = 100_000
        $0.limits.diskReserveBytes = 0
      } == [
        "--max-session-log-bytes is 100000, less than --max-message-bytes (256K): nothing larger than 100000 can be stored"
      ])
    #expect(
      warnings {
        $0.https = nil
        $0.certificateFile = "a.pem"
        $0.keyFile = "b.pem"
        $0.publicURL = WebOrigin("https://draw.example")
      }.map { $0.prefix(24) } == ["--tls-cert and --tls-key", "--public-url is https an"])
    #expect(
      warnings(1024) {
        $0.limits.connections = 1_000
        $0.reactors = 2
        $0.limits.diskReserveBytes = 0
      } == [
        "--max-connections 1000 needs 1848 open files, but the limit of this process is 1024 (ulimit -n): connections"
          + " are refused before --max-connections is reached"
      ])
    #expect(warnings { $0.limits.diskReserveBytes = 1 << 50 } == [])
    #expect(
      warnings(memory: 512 << 20) {
        $0.limits.diskReserveBytes = 0
        $0.memory = 384 << 20
      } == [])
    #expect(
      warnings(memory: 512 << 20) {
        $0.limits.diskReserveBytes = 0
        $0.memory = 500 << 20
      } == [
        "--memory is 500M, but only 512M of memory are available, and the kernel needs some of this memory for sockets and files: the"
          + " kernel may kill the process before it reaches --memory; three quarters of the available memory are safe"
      ])
  }

  @Test(
    "The token file must contain a single line, and this line is the token",
    arguments: [
      ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), ("s3cret\n\n", nil), ("", nil),
      ("\n", nil), ("two words", nil), (" s3cret", nil), ("s\u{E9}cret", nil),
      (String(repeating: "x", count: 256) + "\n", String(repeating: "x", count: 256)),
      (String(repeating: "x", count: 257), nil), (String(repeating: "x", count: 100_000), nil),
    ] as [(String, String?)])
  func secret(_ text: String, _ token: String?) throws {
    try folder.write(text, to: "token")
    let path = folder.path + "/token"
    let asked = configuration { $0.metricsTokenFile = path }
    guard let token else {
      let fault = #expect(throws: CommandError.self) { try SecretFile.readToken(of: asked) }
      #expect(
        fault?.description
          == "--metrics-token-file \(path) contains no token: expected 1 to 256 visible ASCII characters in one line."
      )
      return
    }
    #expect(try SecretFile.readToken(of: asked).metricsToken == token)
  }

  @Test("The error for a missing token file contains its path; if no token file is set, no file is read")
  func noSecret() throws {
    let path = folder.path + "/none"
    let fault = #expect(throws: CommandError.self) {
      try SecretFile.readToken(of: configuration { $0.metricsTokenFile = path })
    }
    #expect(
      fault?.description
        == "--metrics-token-file \(path) cannot be read (open: No such file or directory): expected a file that"
        + " contains the token.")
    #expect(try SecretFile.readToken(of: configuration()) == configuration())
  }
}
