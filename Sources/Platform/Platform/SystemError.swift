internal import CLinux
internal import Glibc

/// A system call that failed: which one, and the error it gave.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the call, as its manual page has it.
  package let call: StaticString
  /// The `errno` that the call left.
  package let code: CInt

  /// Names the call and the `errno` it gave.
  package init(_ call: StaticString, code: CInt) {
    self.call = call
    self.code = code
  }

  /// The call and the system's own words for the error: `bind: Address already in use`.
  package var description: String {
    "\(call): \(Self.words(for: code))"
  }

  package static func == (one: SystemError, other: SystemError) -> Bool {
    one.code == other.code && one.call.description == other.call.description
  }

  /// The result of a shim's call, which is a negative `errno` when the call failed.
  package static func check(_ call: StaticString, _ result: CInt) throws(SystemError) -> CInt {
    guard result >= 0 else { throw SystemError(call, code: -result) }
    return result
  }

  /// The system's own words for an `errno`.
  package static func words(for code: CInt) -> String {
    guard let text = unsafe clinux_error_text(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  /// The text before the NUL that C ended it with.
  package static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension SystemError {
  /// Whether the process or the machine has no descriptor left to give.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  /// Whether another socket already has the address.
  package var isAddressInUse: Bool { code == EADDRINUSE }
  /// Whether an address is none of this machine's.
  package var isAddressElsewhere: Bool { code == EADDRNOTAVAIL }
  /// Whether this user may not do it.
  package var isDenied: Bool { code == EACCES || code == EPERM }
}
