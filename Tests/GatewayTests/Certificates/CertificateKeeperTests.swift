import FoundationEssentials
import Glibc
import Testing
import Networking

@testable import Gateway

/// A certificate and a key in files, which the tests replace in the ways that operators use. The tests set the time.
@Suite("CertificateKeeper reloads changed certificate files, and logs failures and the expiry")
struct CertificateKeeperTests {
  @Test(
    "If the certificate is overwritten before the key, the new pair is used as soon as both are overwritten")
  func inPlace() async throws {
    let fixture = try KeeperFixture()
    let (old, new) = (try fixture.pair(), try fixture.pair())
    let keeper = try fixture.keep(try fixture.put(old, in: "."))
    try fixture.write(new.certificate, over: "tls-cert.pem")
    for _ in 0..<4 { await fixture.check(keeper) }
    #expect(keeper.holder.current.certificate.fingerprint == old.fingerprint)
    try fixture.write(new.key, over: "tls-key.pem")
    await fixture.check(keeper)
    #expect(keeper.holder.current.certificate.fingerprint == old.fingerprint, "the write may not be finished")
    await fixture.check(keeper)
    #expect(keeper.holder.current.certificate.fingerprint == new.fingerprint)
    #expect(fixture.events == ["certificate reloaded"])
    #expect(fixture.lines[0].contains("sha256=\(new.fingerprint)"))
    #expect(fixture.lines[0].contains("subject=\"CN=DrawTogether\" names=DNS:localhost "))
  }

  @Test(
    "If a symbolic link to a certificate file, or to the folder of the files, is changed, the new files are used"
  )
  func links() async throws {
    let fixture = try KeeperFixture()
    let files = FileManager.default
    var keeper: CertificateKeeper?
    for version in ["1", "2", "3"] {
      let pair = try fixture.pair()
      _ = try fixture.put(pair, in: version)
      // Kubernetes creates a second link to the folder, and renames this second link over the first one.
      try files.createSymbolicLink(atPath: fixture.folder + "/data.new", withDestinationPath: version)
      #expect(unsafe rename(fixture.folder + "/data.new", fixture.folder + "/..data") == 0)
      if version == "1" {
        for name in ["tls-cert.pem", "tls-key.pem"] {
          try files.createSymbolicLink(
            atPath: fixture.folder + "/\(name)", withDestinationPath: "..data/\(name)")
        }
        keeper = try fixture.keep(
          .files(certificate: fixture.folder + "/tls-cert.pem", key: fixture.folder + "/tls-key.pem"))
      }
      let kept = try #require(keeper)
      await fixture.check(kept)
      await fixture.check(kept)
      #expect(kept.holder.current.certificate.fingerprint == pair.fingerprint)
    }
    #expect(fixture.events == ["certificate reloaded", "certificate reloaded"])
  }

  @Test(
    "While certificate files are unusable, each reason is logged once; when they become usable, they are loaded"
  )
  func unusable() async throws {
    let fixture = try KeeperFixture()
    let (old, new) = (try fixture.pair(), try fixture.pair())
    let keeper = try fixture.keep(try fixture.put(old, in: "."))
    try fixture.write(String(new.certificate.prefix(300)), over: "tls-cert.pem")
    for _ in 0..<20 { await fixture.check(keeper) }
    #expect(fixture.events == ["certificate not reloaded"])
    #expect(fixture.lines.first?.contains("level=error") == true)
    // Each check that finds unusable files is counted, so that an alert lasts as long as the files are unusable.
    let failures = keeper.reloadFailures
    #expect(failures > 10)
    #expect(keeper.holder.current.certificate.fingerprint == old.fingerprint)
    try FileManager.default.removeItem(atPath: fixture.folder + "/tls-key.pem")
    for _ in 0..<20 { await fixture.check(keeper) }
    try fixture.write(new.certificate, over: "tls-cert.pem")
    for _ in 0..<20 { await fixture.check(keeper) }
    #expect(fixture.events.count == 2 && fixture.lines[1].contains("No such file"))
    try fixture.write(new.key, over: "tls-key.pem")
    for _ in 0..<2 { await fixture.check(keeper) }
    #expect(fixture.events.last == "certificate reloaded")
    #expect(keeper.holder.current.certificate.fingerprint == new.fingerprint)
    let inAll = keeper.reloadFailures
    #expect(inAll > failures)
    for _ in 0..<10 { await fixture.check(keeper) }
    #expect(keeper.reloadFailures == inAll)
  }

  @Test(
    "After a logged failure, the next success is logged once, even if the files are the same as before the failure"
  )
  func oldPairIsBack() async throws {
    let fixture = try KeeperFixture()
    let pair = try fixture.pair()
    let keeper = try fixture.keep(try fixture.put(pair, in: "."))
    try fixture.write("nothing", over: "tls-cert.pem")
    for _ in 0..<10 { await fixture.check(keeper) }
    #expect(fixture.events == ["certificate not reloaded"])
    try fixture.write(pair.certificate, over: "tls-cert.pem")
    for _ in 0..<10 { await fixture.check(keeper) }
    #expect(fixture.events == ["certificate not reloaded", "certificate reloaded"])
  }

  @Test(
    "If a certificate file is moved away and then back unchanged, first the failure and then the reload is logged"
  )
  func movedBack() async throws {
    let fixture = try KeeperFixture()
    let keeper = try fixture.keep(try fixture.put(try fixture.pair(), in: "."))
    let (path, away) = (fixture.folder + "/tls-key.pem", fixture.folder + "/away")
    try FileManager.default.moveItem(atPath: path, toPath: away)
    for _ in 0..<10 { await fixture.check(keeper) }
    #expect(fixture.events == ["certificate not reloaded"])
    try FileManager.default.moveItem(atPath: away, toPath: path)
    for _ in 0..<10 { await fixture.check(keeper) }
    #expect(fixture.events == ["certificate not reloaded", "certificate reloaded"])
  }

  @Test("If a pipe has replaced the file of the certificate or key, the reload fails without waiting")
  func pipe() async throws {
    let fixture = try KeeperFixture()
    let pair = try fixture.pair()
    let keeper = try fixture.keep(try fixture.put(pair, in: "."))
    for name in ["tls-cert.pem", "tls-key.pem"] {
      let path = fixture.folder + "/\(name)"
      try FileManager.default.removeItem(atPath: path)
      #expect(unsafe mkfifo(path, 0o600) == 0)
      await keeper.reload(now: fixture.now, date: fixture.date)
      #expect(fixture.lines.last?.contains("\(name) is not a regular file") == true)
      try FileManager.default.removeItem(atPath: path)
      try fixture.write(name == "tls-key.pem" ? pair.key : pair.certificate, over: name)
    }
    for _ in 0..<3 { await fixture.check(keeper) }
    #expect(fixture.events.count { $0 == "certificate not reloaded" } == 2)
    #expect(fixture.events.count == 3 && fixture.events.last == "certificate reloaded")
  }

  @Test(
    "Certificate files with a new modification time but unchanged content are reloaded only on request"
  )
  func touched() async throws {
    let fixture = try KeeperFixture()
    let pair = try fixture.pair()
    let keeper = try fixture.keep(try fixture.put(pair, in: "."))
    try fixture.write(pair.certificate, over: "tls-cert.pem")
    for _ in 0..<3 { await fixture.check(keeper) }
    #expect(fixture.events.isEmpty)
    await keeper.reload(now: fixture.now, date: fixture.date)
    #expect(fixture.events == ["certificate reloaded"])
  }

  @Test("The expiry of a certificate is logged once a day during its last two weeks and after it has expired")
  func ending() async throws {
    let fixture = try KeeperFixture()
    let keeper = try fixture.keep(try fixture.put(try fixture.pair(), in: "."))
    fixture.advance(.seconds(381 * 86_400))
    for _ in 0..<3 { await fixture.check(keeper) }
    #expect(fixture.events.isEmpty)
    for _ in 0..<48 {
      fixture.advance(.seconds(43_200))
      await fixture.check(keeper)
    }
    let soon = fixture.events.prefix { $0 == "certificate expires soon" }.count
    #expect((13...15).contains(soon))
    #expect(fixture.events.dropFirst(soon).allSatisfy { $0 == "certificate has expired" })
    #expect(fixture.events.count > soon)
    #expect(fixture.lines[0].contains("level=warning"))
  }

  @Test("A self-signed certificate is renewed a month before it expires, and the new certificate is used")
  func renewal() async throws {
    let fixture = try KeeperFixture()
    let source = CertificateSource.selfSigned(directory: fixture.folder)
    #expect(try source.makeIfNeeded(now: fixture.date) == .missing)
    let keeper = try fixture.keep(source)
    let first = keeper.holder.current.certificate
    for _ in 0..<367 {
      fixture.advance(.seconds(86_400))
      await keeper.check(now: fixture.now, date: fixture.date)
    }
    #expect(fixture.events == ["certificate made", "certificate reloaded"])
    let second = keeper.holder.current.certificate
    #expect(second.notAfter - first.notAfter > 360 * 86_400)
  }

  @Test("The key of session tickets is changed every hour, with and without connections")
  func tickets() async throws {
    let fixture = try KeeperFixture()
    let keeper = try fixture.keep(try fixture.put(try fixture.pair(), in: "."))
    let client = try TLSClientContext(trust: .certificates(path: fixture.folder + "/tls-cert.pem"))
    let ticket = try fixture.connect(client, keeper.holder.current).session
    for hour in 1...4 {
      fixture.advance(.seconds(3600))
      await fixture.check(keeper)
      #expect(
        try fixture.connect(client, keeper.holder.current, resuming: ticket).wasResumed == (hour < 3))
    }
  }
}
