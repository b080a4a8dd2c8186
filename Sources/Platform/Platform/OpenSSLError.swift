internal import COpenSSL

/// What OpenSSL says went wrong.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The packed number of library and reason; 0 when OpenSSL gave none.
  package let code: UInt

  /// Names an error by its number.
  package init(code: UInt) {
    self.code = code
  }

  /// Takes the first error of this thread's queue, the cause of those behind it, and empties the queue.
  package static func take() -> OpenSSLError {
    let error = OpenSSLError(code: ERR_peek_error())
    ERR_clear_error()
    return error
  }

  /// The number of the part of OpenSSL that speaks.
  package var library: CInt { ERR_GET_LIB(code) }

  /// The reason's number within its library, or an `errno`.
  package var reason: CInt { ERR_GET_REASON(code) }

  /// OpenSSL's own words, or the system's.
  package var description: String {
    guard code != 0 else { return "no reason given" }
    if library == ERR_LIB_SYS { return SystemError.words(for: reason) }
    guard let text = unsafe ERR_reason_error_string(code) else { return "error \(reason) of OpenSSL" }
    return unsafe String(cString: text)
  }
}
