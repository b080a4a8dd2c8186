package import HTTP

/// The fields that keep browsers from doing with our answers what nobody wants.
package enum SecurityFields {
  /// What the page may load and do: its own files, pictures it makes itself, and sockets to its own host.
  package static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    + "manifest-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// A year: what browsers want before they list a host as one of TLS only.
  private static let transportSecurity = "max-age=31536000"

  /// Adds the fields to an answer; a policy that it brings stays. `isSecure` says that it goes over TLS;
  /// `Strict-Transport-Security` is for those, when the operator asked for it (RFC 6797 §7.2).
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
    // Browsers complain of it where it means nothing: in plain text.
    if isSecure { head.fields.set("Cross-Origin-Opener-Policy", "same-origin") }
    if withTransportSecurity { head.fields.set("Strict-Transport-Security", transportSecurity) }
  }
}
