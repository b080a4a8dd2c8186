internal import Primitives
internal import CLinux
internal import Glibc
internal import Synchronization

/// A queue of lines, and a thread that writes the lines to a descriptor. So the callers never wait for the reader of the
/// descriptor.
///
/// Lines are queued up to a limit in bytes. Lines that do not fit are dropped and counted, and a line that reports their number
/// is written in their place. The thread starts with the first line. The thread blocks the signals that stop a process.
package final class LineWriter: Sendable {
  private struct Queue {
    var lines: [[UInt8]] = []
    var byteCount = 0
    /// The number of lines that were dropped since the thread last removed the lines from the queue.
    var dropped: UInt64 = 0
    var hasThread = false
    /// True if callers write their lines themselves: after `stop`, or if the thread could not be started.
    var isStopped = false
  }

  /// The maximum number of bytes that a pipe accepts in one piece when several processes write to it (pipe(7)).
  private static let pipeAtomicBytes = 4096

  private let descriptor: CInt
  private let capacity: Int
  private let droppedNotice: @Sendable (UInt64) -> [UInt8]
  private let queue = Guarded(Queue())
  /// An event descriptor. It is signalled when the queue is no longer empty, or when the writer stops.
  private let wakeup: OwnedDescriptor
  /// An event descriptor. The thread signals it once, after the last line.
  private let ended: OwnedDescriptor
  private let droppedInAll = Atomic<UInt64>(0)

  /// Creates a writer. The thread starts with the first line.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor to write to; it must stay open as long as the process lives.
  ///   - capacity: the maximum number of bytes in the queue. Unimportant lines may fill three quarters of it.
  ///   - droppedNotice: creates the line that reports the number of dropped lines.
  /// - Throws: `SystemError` if the system has no descriptor left.
  package init(
    to descriptor: CInt, capacity: Int = 1_048_576, droppedNotice: @escaping @Sendable (UInt64) -> [UInt8]
  ) throws(SystemError) {
    self.descriptor = descriptor
    self.capacity = capacity
    self.droppedNotice = droppedNotice
    wakeup = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
    ended = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
  }

  /// The number of all dropped lines.
  package var droppedLines: UInt64 { droppedInAll.load(ordering: .relaxed) }

  /// Queues a line, which must end in a line feed. Any thread may call this function.
  package func enqueue(_ line: [UInt8], isImportant: Bool = false) {
    enum Next {
      case nothing
      case ring
      case start
      case write
    }
    let limit = isImportant ? capacity : capacity / 4 * 3
    let next = queue.withLock { queue in
      guard !queue.isStopped else { return Next.write }
      guard queue.byteCount + line.count <= limit else {
        queue.dropped += 1
        droppedInAll.add(1, ordering: .relaxed)
        return .nothing
      }
      let wasEmpty = queue.lines.isEmpty
      queue.lines.append(line)
      queue.byteCount += line.count
      guard queue.hasThread else {
        queue.hasThread = true
        return .start
      }
      return wasEmpty ? .ring : .nothing
    }
    switch next {
    case .nothing: break
    // The result is ignored: the call fails only if the thread has left almost 2^64 signals unread.
    case .ring: _ = clinux_eventfd_signal(wakeup.rawValue)
    case .start: start()
    case .write: write(line)
    }
  }

  /// Makes the thread write the queued lines and end. After that, each caller of `enqueue` writes its line itself.
  ///
  /// - Parameter duration: the maximum time to wait for the thread. The lines that the thread has not written by then are lost if
  ///   the process ends.
  /// - Returns: true if all lines were written.
  package func stop(within duration: Duration) -> Bool {
    let hasThread = queue.withLock { queue in
      queue.isStopped = true
      return queue.hasThread
    }
    guard hasThread else { return true }
    _ = clinux_eventfd_signal(wakeup.rawValue)
    return clinux_poll(ended.rawValue, clinux_readable, max(0, duration.wholeNanoseconds)) == 1
  }

  private func start() {
    do throws(SystemError) {
      try SystemThread(name: "log") { self.run() }.detach()
    } catch {
      // If no thread can be started, the callers write the lines themselves, and may block.
      let lines = queue.withLock { queue in
        queue.isStopped = true
        queue.hasThread = false
        return queue.lines
      }
      for line in lines { write(line) }
    }
  }

  private func run() {
    let signals = [SIGPIPE, SIGXFSZ, SIGTERM, SIGINT, SIGHUP]
    let status = unsafe clinux_thread_block_signals(signals, signals.count)
    precondition(status == 0, "the thread cannot block its signals")
    while true {
      let (lines, dropped, isStopped) = queue.withLock { queue in
        let taken = (queue.lines, queue.dropped, queue.isStopped)
        queue.lines = []
        queue.byteCount = 0
        queue.dropped = 0
        return taken
      }
      guard !lines.isEmpty || dropped > 0 else {
        if isStopped { break }
        _ = clinux_eventfd_wait(wakeup.rawValue)
        continue
      }
      write(lines)
      if dropped > 0 { write(droppedNotice(dropped)) }
    }
    _ = clinux_eventfd_signal(ended.rawValue)
  }

  /// Writes lines in pieces that consist of whole lines. The reader of a pipe receives each piece as a whole: no line of
  /// another process is inserted into the piece.
  private func write(_ lines: [[UInt8]]) {
    var piece: [UInt8] = []
    for line in lines {
      if !piece.isEmpty, piece.count + line.count > Self.pipeAtomicBytes {
        write(piece)
        piece.removeAll(keepingCapacity: true)
      }
      piece.append(contentsOf: line)
    }
    write(piece)
  }

  private func write(_ bytes: [UInt8]) {
    Self.write(bytes, to: descriptor, waitsForRoom: true)
  }

  /// Writes all of `bytes` to a descriptor.
  ///
  /// If a non-blocking descriptor accepts no more bytes, the function waits, or drops the remaining bytes. After any other
  /// error (the descriptor is closed, the disk is full) it drops the remaining bytes, because there is no other place to report
  /// the error.
  package static func write(_ bytes: [UInt8], to descriptor: CInt, waitsForRoom: Bool) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EAGAIN, waitsForRoom {
        _ = clinux_poll(descriptor, clinux_writable, -1)
      } else if !(count < 0 && errno == EINTR) {
        return
      }
    }
  }
}
