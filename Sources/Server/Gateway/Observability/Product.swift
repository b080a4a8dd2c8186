internal import COpenSSL

/// What the program is called and which one it is.
package enum Product {
  /// The version, as `--version`, the log and `/metrics` give it.
  package static let version = "1.0.0"

  /// The compiler's version, at the least.
  package static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// The version of OpenSSL that is loaded, which may be newer than the one this was built with.
  package static var openSSLVersion: String {
    guard let text = unsafe OpenSSL_version(CInt(OPENSSL_VERSION_STRING)) else { return "unknown" }
    return unsafe String(cString: text)
  }
}
