internal import Glibc
package import Platform

/// Writes one line per event: the time, the level, the event's fixed name, and its fields in order.
///
/// Lines are logfmt or JSON, and two lines are never interleaved. With `init(writingBehind:)`, a separate thread writes the
/// lines, so that a slow reader of the log delays no connection. User input and secrets (payloads, bodies, tokens, whole
/// session ids) are never logged.
/// `Metrics.md` lists all events.
package struct Log: Sendable {
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case debug
    case info
    case warning
    case error

    package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }
  }

  package enum Format: String, CaseIterable, Sendable {
    case text
    case json
  }

  /// The part of an address that is logged.
  package enum AddressDetail: String, CaseIterable, Sendable {
    case full
    /// The network: 24 bits of an IPv4 address, 48 bits of an IPv6 address.
    case masked
    /// No part of the address.
    case off
  }

  /// The lowest level of the lines that are written.
  package let level: Level
  package let format: Format
  private let addresses: AddressDetail
  private let clock: @Sendable () -> LogTime
  private let output: @Sendable ([UInt8], Level) -> Void
  private let writer: LineWriter?

  /// Creates a log whose lines are written to standard error by the calling thread.
  package init(level: Level, format: Format) {
    self.init(
      level: level, format: format, clock: { LogTime.now },
      output: { line in LineWriter.write(line, to: STDERR_FILENO, waitsForRoom: false) })
  }

  /// Creates a log whose lines are written to standard error by a separate thread. Call `finish` before the process ends.
  ///
  /// - Throws: `SystemError` when the system has no free descriptor.
  package init(
    writingBehind level: Level, format: Format, addresses: AddressDetail = .full
  ) throws(SystemError) {
    let writer = try LineWriter(to: STDERR_FILENO) { lost in
      LogLine(time: .now, level: .warning, event: "log lines lost", fields: ["lines": .number(lost)])
        .bytes(in: format)
    }
    self.level = level
    self.format = format
    self.addresses = addresses
    clock = { LogTime.now }
    output = { line, level in writer.enqueue(line, isImportant: level >= .warning) }
    self.writer = writer
  }

  /// Creates a log that passes each line to `output`, with a line feed at the end. `clock` returns the time of a line.
  package init(
    level: Level, format: Format, addresses: AddressDetail = .full,
    clock: @escaping @Sendable () -> LogTime,
    output: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.level = level
    self.format = format
    self.addresses = addresses
    self.clock = clock
    self.output = { line, _ in output(line) }
    writer = nil
  }

  /// The number of lines that were lost because the buffer was full of lines that could not be written yet.
  package var linesLost: UInt64 { writer?.droppedLines ?? 0 }

  /// Writes the buffered lines, and ends the writing thread. Waits for at most `duration`.
  package func finish(within duration: Duration) {
    // The result is ignored: if the buffered lines cannot be written in time, a line that reports their loss could not be written
    // either.
    _ = writer?.stop(within: duration)
  }

  /// Writes one line if `level` is at least the level of this log. Otherwise, writes nothing and does not evaluate the fields.
  package func callAsFunction(
    _ level: Level, _ event: StaticString, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    guard level >= self.level else { return }
    let line = LogLine(
      time: clock(), level: level, event: event.description, fields: fields(), addresses: addresses)
    output(line.bytes(in: self.format), level)
  }
}
