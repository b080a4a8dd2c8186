import Gateway
import FoundationEssentials
import Testing
import Networking
import Primitives
import TestSupport

@testable import drawtogether

/// Warnings about certificates that browsers refuse.
@Suite("A certificate that browsers would refuse causes a warning")
struct CertificateWarningTests {
  private let folder = TemporaryFolder()
  /// 2026-01-01T00:00:00Z, the creation time of the certificate; it expires 396 days later.
  private let made = WallTime(secondsSince1970: 1_767_225_600)
  private var configuration = GatewayConfiguration()

  init() throws {
    let names = AlternativeNames(
      hosts: ["draw.example"], addresses: [IPAddress("192.0.2.7")].compactMap(\.self))
    let own = try SelfSignedCertificate.loadOrCreate(in: folder.path, now: made, names: names)
    configuration.certificateFile = own.certificatePath
    configuration.keyFile = own.keyPath
  }

  private func warnings(
    afterDays days: Int = 1, _ change: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> [String] {
    var changed = configuration
    change(&changed)
    return ConfigurationWarnings.ofCertificate(changed, now: made + .seconds(days * 86_400))
  }

  @Test(
    "A certificate that is not valid yet, expires soon, or has expired causes a warning",
    arguments: [
      (-2, "is not valid before 2025-12-31: browsers refuse it until then"), (1, nil), (380, nil),
      (383, "expires on 2027-02-01: renew it"), (397, "expired on 2027-02-01: browsers refuse it"),
    ] as [(Int, String?)])
  func age(_ days: Int, _ words: String?) {
    let file = configuration.certificateFile ?? ""
    #expect(
      warnings(afterDays: days)
        == [words.map { "the certificate in --tls-cert \(file) \($0)" }].compactMap(\.self))
  }

  @Test(
    "A certificate that is not valid for the host of the public URL causes a warning",
    arguments: [
      ("https://draw.example", true), ("https://draw.example:8443", true), ("https://192.0.2.7:8443", true),
      ("https://www.draw.example", false), ("https://192.0.2.8", false), ("https://[2001:db8::7]", false),
      ("http://other.example", true),
    ])
  func names(_ url: String, _ fits: Bool) {
    let told = warnings { $0.publicURL = WebOrigin(url) }
    #expect(told.isEmpty == fits)
    #expect(
      told.allSatisfy {
        $0.contains(" is for DNS:draw.example, IP Address:192.0.2.7, not for ")
          && $0.hasSuffix(", the host of --public-url: browsers refuse it")
      })
  }

  @Test("A certificate that is unused, unreadable, or behind a proxy causes no warning")
  func silent() {
    #expect(
      warnings(afterDays: 1_000) {
        $0.https = nil
        $0.trustedProxies = 1
      } == [])
    #expect(
      warnings {
        $0.publicURL = WebOrigin("https://other.example")
        $0.trustedProxies = 1
      } == [])
    #expect(warnings(afterDays: 1_000) { $0.keyFile = "/nonexistent" } == [])
  }
}
