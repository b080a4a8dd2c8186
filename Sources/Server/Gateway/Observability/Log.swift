internal import Glibc
package import Platform

/// Writes one line an event: the time, the level, a fixed event and its fields in their order.
///
/// Lines are logfmt or JSON, and never mix. Those of a gateway are written by a thread of their own: nobody who serves waits for
/// whoever reads them. What a person typed or a secret (a payload, a body, a token, a whole session id) is never given to it.
/// `Metrics.md` has every event.
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

  /// The part of an address that is written.
  package enum AddressDetail: String, CaseIterable, Sendable {
    case full
    /// The network, of 24 bits with IPv4 and of 48 with IPv6.
    case masked
    /// No part.
    case off
  }

  /// The least level that is written.
  package let level: Level
  package let format: Format
  private let addresses: AddressDetail
  private let clock: @Sendable () -> LogTime
  private let output: @Sendable ([UInt8], Level) -> Void
  private let writer: LineWriter?

  /// A log on standard error with the time of day.
  package init(level: Level, format: Format) {
    self.init(
      level: level, format: format, clock: { LogTime.now },
      output: { line in LineWriter.write(line, to: STDERR_FILENO, waitsForRoom: false) })
  }

  /// The same, by a thread of its own. Call `finish` before the process ends.
  ///
  /// - Throws: `SystemError` when the system has no descriptor left.
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
    output = { line, level in writer.put(line, isImportant: level >= .warning) }
    self.writer = writer
  }

  /// A log whose lines, each with its line feed, go to `output`, with the times that `clock` tells.
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

  /// How many lines there was no room for, because nobody took what was written before.
  package var linesLost: UInt64 { writer?.lost ?? 0 }

  /// Writes what is still to be written, and waits for that, but no longer than so long.
  package func finish(within duration: Duration) {
    // Of what nobody reads there is nobody to tell.
    _ = writer?.stop(within: duration)
  }

  /// Writes one line, unless `level` is below the log's; the fields are not made then.
  package func callAsFunction(
    _ level: Level, _ event: StaticString, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    guard level >= self.level else { return }
    let line = LogLine(
      time: clock(), level: level, event: event.description, fields: fields(), addresses: addresses)
    output(line.bytes(in: self.format), level)
  }
}
