internal import CLinux
internal import Synchronization

/// A named thread of the system that runs one closure.
///
/// A thread that was not joined is detached when its object is released. Its stack is then freed when the thread
/// ends.
package final class SystemThread: Sendable {
  private let identifier: UInt
  private let isJoinedOrDetached = Atomic(false)

  /// Starts the thread. The system uses the first 15 bytes of the name.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
    let box = unsafe Unmanaged.passRetained(Body(body))
    var identifier: UInt = 0
    let status = unsafe clinux_thread_start(
      name, { unsafe SystemThread.run($0) }, box.toOpaque(), &identifier)
    guard status == 0 else {
      unsafe box.release()
      throw SystemError("pthread_create", code: -status)
    }
    self.identifier = identifier
  }

  deinit {
    detach()
  }

  /// Waits for the end of the thread. Returns immediately if `join` or `detach` was called before. The thread itself must not
  /// call `join`.
  package func join() {
    guard !isJoinedOrDetached.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let status = clinux_thread_join(identifier)
    precondition(status == 0, "a thread must be joined only once, by another thread")
  }

  /// Detaches the thread: the system frees the stack of the thread when the thread ends, and `join` no longer waits.
  package func detach() {
    guard !isJoinedOrDetached.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let status = clinux_thread_detach(identifier)
    precondition(status == 0, "a thread must be detached only once, and not after it was joined")
  }

  /// The identity of the calling thread, valid for comparisons as long as that thread lives.
  package static var current: UInt { clinux_thread_current() }

  private static func run(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
    body.run()
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }
}
