internal import Glibc

/// An open file descriptor with one owner. It is closed when the owner is destroyed.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number of the descriptor; valid as long as the owner lives.
  package let rawValue: CInt

  /// Takes ownership of an open descriptor. From now on no other code may close it.
  package init(owning rawValue: CInt) {
    precondition(rawValue >= 0, "an owned descriptor must be open")
    self.rawValue = rawValue
  }

  /// Returns the descriptor without closing it. The caller takes ownership.
  package consuming func release() -> CInt {
    let raw = rawValue
    discard self
    return raw
  }

  deinit {
    // Linux has freed the descriptor's number even if `close` fails with EINTR. So `close` must not be called a second time.
    _ = close(rawValue)
  }
}
