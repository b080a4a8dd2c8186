package import HTTP

/// The response fields that tell browsers to restrict the page.
package enum SecurityFields {
  /// The policy of all responses that have no other one.
  private static let contentSecurityPolicy = policy(allowing: InlineHashes())

  /// Returns the policy for the resources that the page may load: its own files, the scripts and style sheets inside the markup
  /// with these hashes, pictures that it creates, and connections to its own host.
  static func policy(allowing inline: InlineHashes) -> String {
    func sources(_ hashes: [String]) -> String { hashes.reduce("'self'") { "\($0) '\($1)'" } }
    return "default-src 'none'; script-src \(sources(inline.scripts)); style-src \(sources(inline.styles)); "
      + "img-src 'self' blob: data:; connect-src 'self'; manifest-src 'self'; font-src 'self'; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
  }

  /// The value of `Strict-Transport-Security`. `max-age` is one year, the minimum for the browsers' preload lists of TLS-only
  /// hosts.
  private static let transportSecurity = "max-age=31536000"

  /// Adds the fields to a response. A `Content-Security-Policy` that the response already has stays unchanged.
  ///
  /// - Parameters:
  ///   - head: the response.
  ///   - isSecure: true if the response is sent over TLS.
  ///   - withTransportSecurity: true to add `Strict-Transport-Security`, which is allowed over TLS only (RFC 6797 §7.2).
  package static func add(
    to head: inout ResponseHead, isSecure: Bool = true, withTransportSecurity: Bool
  ) {
    if head.fields.first("Content-Security-Policy") == nil {
      head.fields.append("Content-Security-Policy", contentSecurityPolicy)
    }
    head.fields.set("X-Content-Type-Options", "nosniff")
    head.fields.set("Referrer-Policy", "no-referrer")
    if head.fields.first("Cross-Origin-Resource-Policy") == nil {
      head.fields.append("Cross-Origin-Resource-Policy", "same-origin")
    }
    // Browsers ignore this field in a response over plain-text HTTP, and log an error.
    if isSecure { head.fields.set("Cross-Origin-Opener-Policy", "same-origin") }
    if withTransportSecurity { head.fields.set("Strict-Transport-Security", transportSecurity) }
  }
}
