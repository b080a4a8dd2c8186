internal import CLinux
internal import Glibc

/// A failed system call and its error.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the call, as in its manual page.
  package let call: StaticString
  /// The `errno` of the call.
  package let code: CInt

  /// Creates an error from the name of the call and its `errno`.
  package init(_ call: StaticString, code: CInt) {
    self.call = call
    self.code = code
  }

  /// The call and the system's message: `bind: Address already in use`.
  package var description: String {
    "\(call): \(Self.message(for: code))"
  }

  package static func == (one: SystemError, other: SystemError) -> Bool {
    one.code == other.code && one.call.description == other.call.description
  }

  /// Returns the result of a function of `CLinux`; throws if the result is a negative `errno`.
  package static func check(_ call: StaticString, _ result: CInt) throws(SystemError) -> CInt {
    guard result >= 0 else { throw SystemError(call, code: -result) }
    return result
  }

  /// Returns the system's message for an `errno`.
  package static func message(for code: CInt) -> String {
    guard let text = unsafe clinux_error_text(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  /// Returns the text before the terminating NUL of a C string.
  package static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension SystemError {
  /// True if the process or the machine has no descriptor left.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  /// True if another socket already uses the address.
  package var isAddressInUse: Bool { code == EADDRINUSE }
  /// True if the address is not one of this machine's.
  package var isAddressNotLocal: Bool { code == EADDRNOTAVAIL }
  /// True if this user lacks the permission.
  package var isPermissionDenied: Bool { code == EACCES || code == EPERM }
}
