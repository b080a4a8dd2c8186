internal import COpenSSL

/// The version of the program, and of the parts that it was built with.
package enum Product {
  /// The version in `--version`, the log and `/metrics`.
  package static let version = "1.0.0"

  /// The version of the compiler; if it is newer than the list here, the newest listed version.
  package static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// The version of the loaded OpenSSL, which may be newer than at build time.
  package static var openSSLVersion: String {
    guard let text = unsafe OpenSSL_version(CInt(OPENSSL_VERSION_STRING)) else { return "unknown" }
    return unsafe String(cString: text)
  }
}
