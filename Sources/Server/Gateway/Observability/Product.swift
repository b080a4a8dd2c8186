internal import COpenSSL

/// The versions of the program, its compiler and its OpenSSL library.
package enum Product {
  /// The version in `--version`, the log and `/metrics`.
  package static let version = "1.0.0"

  /// The version of the compiler, from the list below. A compiler that is newer than the list gets the list's newest version.
  package static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// The version of the OpenSSL library that is loaded. It may be newer than the one that was used for the build.
  package static var openSSLVersion: String {
    guard let text = unsafe OpenSSL_version(CInt(OPENSSL_VERSION_STRING)) else { return "unknown" }
    return unsafe String(cString: text)
  }
}
