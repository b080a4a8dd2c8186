internal import COpenSSL

/// An error that OpenSSL reported.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The packed number of library and reason; 0 if OpenSSL reported none.
  package let code: UInt

  /// Creates an error from its number.
  package init(code: UInt) {
    self.code = code
  }

  /// Returns the first error in this thread's error queue, which caused the later errors, and empties the queue.
  package static func take() -> OpenSSLError {
    let error = OpenSSLError(code: ERR_peek_error())
    ERR_clear_error()
    return error
  }

  /// The number of the part of OpenSSL that reported the error.
  package var library: CInt { ERR_GET_LIB(code) }

  /// The number of the reason within its library, or an `errno`.
  package var reason: CInt { ERR_GET_REASON(code) }

  /// The message of OpenSSL or, for an `errno`, of the system.
  package var description: String {
    guard code != 0 else { return "OpenSSL reported no reason" }
    if library == ERR_LIB_SYS { return SystemError.message(for: reason) }
    guard let text = unsafe ERR_reason_error_string(code) else { return "OpenSSL error \(reason)" }
    return unsafe String(cString: text)
  }
}
