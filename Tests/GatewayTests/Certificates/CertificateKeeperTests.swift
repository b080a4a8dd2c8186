import FoundationEssentials
import Glibc
import Testing
import Networking

@testable import Gateway

/// Certificate and key in files, replaced as it is done in life. The time is the test's.
@Suite("Taking a new certificate")
struct CertificateKeeperTests {
  @Test("A pair that is written over, the certificate first, is taken once the key is there too")
  func inPlace() async throws {
    let fixture = try KeeperFixture()
    let (old, new) = (try fixture.pair(), try fixture.pair())
    let keeper = try fixture.keep(try fixture.put(old, in: "."))
    try fixture.write(new.certificate, over: "tls-cert.pem")
    for _ in 0..<4 { await fixture.look(keeper) }
    #expect(keeper.holder.current.certificate.fingerprint == old.fingerprint)
    try fixture.write(new.key, over: "tls-key.pem")
    await fixture.look(keeper)
    #expect(keeper.holder.current.certificate.fingerprint == old.fingerprint, "it may still be written")
    await fixture.look(keeper)
    #expect(keeper.holder.current.certificate.fingerprint == new.fingerprint)
    #expect(fixture.events == ["certificate reloaded"])
    #expect(fixture.lines[0].contains("sha256=\(new.fingerprint)"))
    #expect(fixture.lines[0].contains("subject=\"CN=DrawTogether\" names=DNS:localhost "))
  }

  @Test("Links that come to lead elsewhere: one to each file, and one to their folder")
  func links() async throws {
    let fixture = try KeeperFixture()
    let files = FileManager.default
    var keeper: CertificateKeeper?
    for version in ["1", "2", "3"] {
      let pair = try fixture.pair()
      _ = try fixture.put(pair, in: version)
      // As Kubernetes does: the folder's link is made beside its place, and renamed over the old one.
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
      await fixture.look(kept)
      await fixture.look(kept)
      #expect(kept.holder.current.certificate.fingerprint == pair.fingerprint)
    }
    #expect(fixture.events == ["certificate reloaded", "certificate reloaded"])
  }

  @Test("What stays unusable is told once, with its reason, and mended without a word to the gateway")
  func unusable() async throws {
    let fixture = try KeeperFixture()
    let (old, new) = (try fixture.pair(), try fixture.pair())
    let keeper = try fixture.keep(try fixture.put(old, in: "."))
    try fixture.write(String(new.certificate.prefix(300)), over: "tls-cert.pem")
    for _ in 0..<20 { await fixture.look(keeper) }
    #expect(fixture.events == ["certificate not reloaded"])
    #expect(fixture.lines.first?.contains("level=error") == true)
    // Each look at unusable files counts, so that an alert lasts as long as the trouble.
    let failures = keeper.reloadFailures
    #expect(failures > 10)
    #expect(keeper.holder.current.certificate.fingerprint == old.fingerprint)
    try FileManager.default.removeItem(atPath: fixture.folder + "/tls-key.pem")
    for _ in 0..<20 { await fixture.look(keeper) }
    try fixture.write(new.certificate, over: "tls-cert.pem")
    for _ in 0..<20 { await fixture.look(keeper) }
    #expect(fixture.events.count == 2 && fixture.lines[1].contains("No such file"))
    try fixture.write(new.key, over: "tls-key.pem")
    for _ in 0..<2 { await fixture.look(keeper) }
    #expect(fixture.events.last == "certificate reloaded")
    #expect(keeper.holder.current.certificate.fingerprint == new.fingerprint)
    let inAll = keeper.reloadFailures
    #expect(inAll > failures)
    for _ in 0..<10 { await fixture.look(keeper) }
    #expect(keeper.reloadFailures == inAll)
  }

  @Test("A failure that was told is told to be over, once, also when the old pair is back")
  func oldPairIsBack() async throws {
    let fixture = try KeeperFixture()
    let pair = try fixture.pair()
    let keeper = try fixture.keep(try fixture.put(pair, in: "."))
    try fixture.write("nothing", over: "tls-cert.pem")
    for _ in 0..<10 { await fixture.look(keeper) }
    #expect(fixture.events == ["certificate not reloaded"])
    try fixture.write(pair.certificate, over: "tls-cert.pem")
    for _ in 0..<10 { await fixture.look(keeper) }
    #expect(fixture.events == ["certificate not reloaded", "certificate reloaded"])
  }

  @Test("A file that was moved away and back, as it was, is told to be there again")
  func movedBack() async throws {
    let fixture = try KeeperFixture()
    let keeper = try fixture.keep(try fixture.put(try fixture.pair(), in: "."))
    let (place, away) = (fixture.folder + "/tls-key.pem", fixture.folder + "/away")
    try FileManager.default.moveItem(atPath: place, toPath: away)
    for _ in 0..<10 { await fixture.look(keeper) }
    #expect(fixture.events == ["certificate not reloaded"])
    try FileManager.default.moveItem(atPath: away, toPath: place)
    for _ in 0..<10 { await fixture.look(keeper) }
    #expect(fixture.events == ["certificate not reloaded", "certificate reloaded"])
  }

  @Test("A pipe in a file's place is refused, and not waited for")
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
    for _ in 0..<3 { await fixture.look(keeper) }
    #expect(fixture.events.count { $0 == "certificate not reloaded" } == 2)
    #expect(fixture.events.count == 3 && fixture.events.last == "certificate reloaded")
  }

  @Test("Files that were only touched change nothing; who asks hears of it all the same")
  func touched() async throws {
    let fixture = try KeeperFixture()
    let pair = try fixture.pair()
    let keeper = try fixture.keep(try fixture.put(pair, in: "."))
    try fixture.write(pair.certificate, over: "tls-cert.pem")
    for _ in 0..<3 { await fixture.look(keeper) }
    #expect(fixture.events.isEmpty)
    await keeper.reload(now: fixture.now, date: fixture.date)
    #expect(fixture.events == ["certificate reloaded"])
  }

  @Test("That a certificate ends is told once a day in its last two weeks, and that it has ended")
  func ending() async throws {
    let fixture = try KeeperFixture()
    let keeper = try fixture.keep(try fixture.put(try fixture.pair(), in: "."))
    fixture.advance(.seconds(381 * 86_400))
    for _ in 0..<3 { await fixture.look(keeper) }
    #expect(fixture.events.isEmpty)
    for _ in 0..<48 {
      fixture.advance(.seconds(43_200))
      await fixture.look(keeper)
    }
    let soon = fixture.events.prefix { $0 == "certificate expires soon" }.count
    #expect((13...15).contains(soon))
    #expect(fixture.events.dropFirst(soon).allSatisfy { $0 == "certificate has expired" })
    #expect(fixture.events.count > soon)
    #expect(fixture.lines[0].contains("level=warning"))
  }

  @Test("One of the gateway's own making is made anew a month before it ends, and taken")
  func renewal() async throws {
    let fixture = try KeeperFixture()
    let source = CertificateSource.ownMade(directory: fixture.folder)
    #expect(try source.makeIfNeeded(now: fixture.date) == .missing)
    let keeper = try fixture.keep(source)
    let first = keeper.holder.current.certificate
    for _ in 0..<367 {
      fixture.advance(.seconds(86_400))
      await keeper.look(now: fixture.now, date: fixture.date)
    }
    #expect(fixture.events == ["certificate made", "certificate reloaded"])
    let second = keeper.holder.current.certificate
    #expect(second.notAfter - first.notAfter > 360 * 86_400)
  }

  @Test("The key of session tickets is changed every hour, whether anybody comes or not")
  func tickets() async throws {
    let fixture = try KeeperFixture()
    let keeper = try fixture.keep(try fixture.put(try fixture.pair(), in: "."))
    let client = try TLSClientContext(trust: .certificates(path: fixture.folder + "/tls-cert.pem"))
    let ticket = try fixture.connect(client, keeper.holder.current).session
    for hour in 1...4 {
      fixture.advance(.seconds(3600))
      await fixture.look(keeper)
      #expect(
        try fixture.connect(client, keeper.holder.current, resuming: ticket).wasResumed == (hour < 3))
    }
  }
}
