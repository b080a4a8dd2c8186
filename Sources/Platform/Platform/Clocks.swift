internal import CLinux
package import Primitives

extension MonotonicTime {
  /// Reads the machine's monotonic clock.
  package static func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: clinux_monotonic_now())
  }
}

extension WallTime {
  /// Reads the machine's wall clock.
  package static func now() -> WallTime {
    WallTime(nanosecondsSince1970: clinux_wall_now())
  }

  /// True if the kernel keeps the wall clock synchronised with a time server; also false if the state is unknown.
  package static var isSynchronised: Bool { clinux_wall_is_synchronised() != 0 }
}
