internal import Glibc

/// An open file descriptor with one owner, closed when that owner goes out of scope.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number of the descriptor; valid as long as the owner lives.
  package let rawValue: CInt

  /// Takes over an open descriptor, which nobody else may close from now on.
  package init(owning rawValue: CInt) {
    precondition(rawValue >= 0, "a descriptor to own is open")
    self.rawValue = rawValue
  }

  /// Gives the descriptor up unclosed, for a call or an owner that takes it over.
  package consuming func release() -> CInt {
    let raw = rawValue
    discard self
    return raw
  }

  deinit {
    // EINTR included, Linux has let go of the number when this returns: never again.
    _ = close(rawValue)
  }
}
