import CLinux
import Glibc
import Synchronization
import Testing
import Platform
import Primitives

@Suite("LineWriter writes the lines of several threads without blocking the callers")
struct LineWriterTests {
  private static let note: @Sendable (UInt64) -> [UInt8] = { Array("lost \($0)\n".utf8) }

  private static func line(_ number: Int, length: Int = 40) -> [UInt8] {
    let text = "line \(number) "
    return Array((text + String(repeating: "x", count: max(0, length - text.utf8.count - 1)) + "\n").utf8)
  }

  private static func read(_ pipe: Pipe) -> [Substring] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(pipe.reading, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self).split(separator: "\n")
  }

  @Test(
    "All lines that several threads write are written before the writer ends, and the lines of each thread stay in order"
  )
  func order() throws {
    let pipe = try Pipe()
    let writer = try LineWriter(to: pipe.writing, droppedNotice: Self.note)
    let threads = try (0..<4).map { thread in
      try SystemThread(name: "teller") {
        for number in 0..<100 { writer.enqueue(Self.line(thread * 1000 + number)) }
      }
    }
    for thread in threads { thread.join() }
    #expect(writer.stop(within: .seconds(20)))
    pipe.closeWriting()
    let lines = Self.read(pipe)
    #expect(lines.count == 400 && writer.droppedLines == 0)
    for thread in 0..<4 {
      let own = lines.compactMap { Int($0.split(separator: " ")[1]) }.filter { $0 / 1000 == thread }
      #expect(own == (0..<100).map { thread * 1000 + $0 })
    }
  }

  @Test(
    "If a pipe is full, callers do not block, and lines are dropped; one later line states the number of dropped lines"
  )
  func full() throws {
    let pipe = try Pipe()
    let writer = try LineWriter(to: pipe.writing, capacity: 100_000, droppedNotice: Self.note)
    let began = MonotonicTime.now()
    for number in 0..<20_000 { writer.enqueue(Self.line(number, length: 100)) }
    // If the pipe blocked the callers, this loop would never end.
    #expect(MonotonicTime.now() - began < .seconds(20))
    let lost = writer.droppedLines
    #expect(lost > 15_000)
    // The queue still has room for an important line.
    writer.enqueue(Array("important\n".utf8), isImportant: true)
    #expect(writer.droppedLines == lost)
    #expect(!writer.stop(within: .milliseconds(1)))
    let reader = Reading(pipe)
    #expect(writer.stop(within: .seconds(20)))
    pipe.closeWriting()
    let lines = reader.lines()
    let numbers = lines.compactMap { $0.hasPrefix("line ") ? Int($0.split(separator: " ")[1]) : nil }
    #expect(numbers == numbers.sorted() && numbers.count + Int(lost) == 20_000)
    let told = lines.compactMap { $0.hasPrefix("lost ") ? UInt64($0.dropFirst(5)) : nil }
    #expect(told.reduce(0, +) == lost)
    #expect(lines.contains("important"))
  }

  @Test(
    "All lines are written to a non-blocking descriptor; after the reader has closed the pipe, lines are dropped"
  )
  func others() throws {
    let pipe = try Pipe()
    #expect(fcntl(pipe.writing, F_SETFL, O_NONBLOCK) == 0)
    let writer = try LineWriter(to: pipe.writing, droppedNotice: Self.note)
    for number in 0..<2000 { writer.enqueue(Self.line(number, length: 100)) }
    let reader = Reading(pipe)
    #expect(writer.stop(within: .seconds(20)))
    pipe.closeWriting()
    #expect(reader.lines().count == 2000)

    let gone = try Pipe()
    gone.closeReading()
    let deaf = try LineWriter(to: gone.writing, droppedNotice: Self.note)
    for number in 0..<100 { deaf.enqueue(Self.line(number)) }
    #expect(deaf.stop(within: .seconds(20)))
  }

  @Test("After the writer has stopped, each caller writes its lines itself")
  func stopped() throws {
    let pipe = try Pipe()
    let writer = try LineWriter(to: pipe.writing, droppedNotice: Self.note)
    #expect(writer.stop(within: .zero))
    writer.enqueue(Self.line(1))
    pipe.closeWriting()
    #expect(Self.read(pipe).count == 1)
  }

  /// Reads a pipe to its end, on a separate thread.
  private final class Reading: Sendable {
    private let thread: SystemThread
    private let found: Found

    private final class Found: Sendable {
      let lines = Mutex<[Substring]>([])
    }

    init(_ pipe: Pipe) {
      let found = Found()
      self.found = found
      guard
        let thread = try? SystemThread(
          name: "reading", body: { found.lines.withLock { $0 = LineWriterTests.read(pipe) } })
      else { preconditionFailure("the system can start a thread") }
      self.thread = thread
    }

    func lines() -> [Substring] {
      thread.join()
      return found.lines.withLock { $0 }
    }
  }
}

/// A pipe whose ends are closed when this object is released.
private final class Pipe: Sendable {
  let reading: CInt
  let writing: CInt
  private let open = Mutex((reading: true, writing: true))

  init() throws {
    var both: [CInt] = [0, 0]
    let status = unsafe pipe(&both)
    try #require(status == 0)
    reading = both[0]
    writing = both[1]
  }

  deinit {
    closeReading()
    closeWriting()
  }

  func closeReading() {
    let isOpen = open.withLock { open in
      defer { open.reading = false }
      return open.reading
    }
    if isOpen { close(reading) }
  }

  func closeWriting() {
    let isOpen = open.withLock { open in
      defer { open.writing = false }
      return open.writing
    }
    if isOpen { close(writing) }
  }
}
