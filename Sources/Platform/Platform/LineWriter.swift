internal import Primitives
internal import CLinux
internal import Glibc
internal import Synchronization

/// Writes lines to a descriptor on a thread of its own: whoever has something to say never waits for whoever reads it.
///
/// Lines wait in memory up to a bound. What does not fit is counted, and a line that says so is written where it is missing.
/// The thread starts with the first line; it takes no signal that stops a process.
package final class LineWriter: Sendable {
  private struct Queue {
    var lines: [[UInt8]] = []
    var byteCount = 0
    /// Lines that did not fit behind those that wait.
    var lost: UInt64 = 0
    var hasThread = false
    /// What comes now is written by whoever brings it.
    var isStopped = false
  }

  /// What a pipe takes in one piece, whoever else writes to it (pipe(7)).
  private static let pieceBytes = 4096

  private let descriptor: CInt
  private let room: Int
  private let note: @Sendable (UInt64) -> [UInt8]
  private let queue = Guarded(Queue())
  private let bell: OwnedDescriptor
  /// Rings once, when the thread has written its last line.
  private let end: OwnedDescriptor
  private let lostInAll = Atomic<UInt64>(0)

  /// Throws when the system has no descriptor left.
  ///
  /// - Parameters:
  ///   - descriptor: where to; it stays open as long as the process lives.
  ///   - room: how many bytes wait at most. Of what is not important only three quarters do.
  ///   - note: makes the line that tells how many are missing.
  /// - Throws: `SystemError`.
  package init(
    to descriptor: CInt, room: Int = 1_048_576, note: @escaping @Sendable (UInt64) -> [UInt8]
  ) throws(SystemError) {
    self.descriptor = descriptor
    self.room = room
    self.note = note
    bell = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
    end = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
  }

  /// How many lines did not fit so far.
  package var lost: UInt64 { lostInAll.load(ordering: .relaxed) }

  /// Has a line written, which brings its line feed with it; any thread may.
  package func put(_ line: [UInt8], isImportant: Bool = false) {
    enum Next {
      case nothing
      case ring
      case start
      case write
    }
    let room = isImportant ? room : room / 4 * 3
    let next = queue.withLock { queue in
      guard !queue.isStopped else { return Next.write }
      guard queue.byteCount + line.count <= room else {
        queue.lost += 1
        lostInAll.add(1, ordering: .relaxed)
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
    // Fails only when rung 2^64 times unheard.
    case .ring: _ = clinux_eventfd_signal(bell.rawValue)
    case .start: start()
    case .write: write(line)
    }
  }

  /// Has the thread write what waits, and end. What is put from now on is written by whoever puts it.
  ///
  /// - Parameter duration: how long that is waited for; a descriptor that takes nothing keeps its lines.
  /// - Returns: whether all of it was written.
  package func stop(within duration: Duration) -> Bool {
    let hasThread = queue.withLock { queue in
      queue.isStopped = true
      return queue.hasThread
    }
    guard hasThread else { return true }
    _ = clinux_eventfd_signal(bell.rawValue)
    return clinux_poll(end.rawValue, clinux_readable, max(0, duration.wholeNanoseconds)) == 1
  }

  private func start() {
    do throws(SystemError) {
      try SystemThread(name: "log") { self.run() }.detach()
    } catch {
      // Without a thread to spare, whoever says something waits.
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
    precondition(status == 0, "a thread may block signals for itself")
    while true {
      let (lines, lost, isStopped) = queue.withLock { queue in
        let taken = (queue.lines, queue.lost, queue.isStopped)
        queue.lines = []
        queue.byteCount = 0
        queue.lost = 0
        return taken
      }
      guard !lines.isEmpty || lost > 0 else {
        if isStopped { break }
        _ = clinux_eventfd_wait(bell.rawValue)
        continue
      }
      write(lines)
      if lost > 0 { write(note(lost)) }
    }
    _ = clinux_eventfd_signal(end.rawValue)
  }

  /// In pieces of whole lines that stay together.
  private func write(_ lines: [[UInt8]]) {
    var piece: [UInt8] = []
    for line in lines {
      if !piece.isEmpty, piece.count + line.count > Self.pieceBytes {
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

  /// Writes all of `bytes` to a descriptor. Of one that does not block and is full, the rest is waited for or lost; what cannot
  /// be written for another reason (it is closed, the disk is full) is lost, for nobody could be told.
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
