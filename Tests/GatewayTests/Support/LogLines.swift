import Platform

@testable import Gateway

/// The lines that a log wrote.
final class LogLines: Sendable {
  private let lines = Guarded<[String]>([])

  /// A log of the level `info` that writes to this list.
  var log: Log {
    Log(level: .info, format: .text, clock: { LogTime.now }, output: { self.append($0) })
  }

  private func append(_ line: [UInt8]) {
    lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
  }

  var count: Int { lines.withLock { $0.count } }
  var last: String? { lines.withLock { $0.last } }
}
