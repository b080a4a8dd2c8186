internal import Primitives

/// The rate at which a body arrives, averaged over the last seconds.
///
/// Bytes are counted in slices; six slices make one window. The present slice is counted in addition to the window, so that a
/// pause at its beginning does not lower the rate.
struct BodyRate {
  private static let slicesPerWindow = 6

  private let window: Duration
  /// The bytes of the newest slices. The index of a slice is its number modulo the number of slices.
  private var slices = [Int](repeating: 0, count: slicesPerWindow + 1)
  private var newest = 0
  private enum Clock {
    /// The body waits for the gateway. The value is the duration that was measured before.
    case paused(after: Duration)
    /// The gateway waits for the body. The value is the beginning of the body plus the length of all pauses.
    case running(since: MonotonicTime)
  }

  private var clock = Clock.paused(after: .zero)

  /// Creates a paused measurement.
  init(window: Duration) {
    self.window = window
  }

  /// Resumes a paused measurement. The pause is not included.
  mutating func resume(at now: MonotonicTime) {
    guard case .paused(let measured) = clock else { return }
    clock = .running(since: now - measured)
  }

  mutating func pause(at now: MonotonicTime) {
    guard case .running(let began) = clock else { return }
    clock = .paused(after: now - began)
  }

  /// Counts bytes that arrived.
  mutating func add(_ bytes: Int, at now: MonotonicTime) {
    guard case .running(let began) = clock else { return }
    advance(to: now, since: began)
    slices[newest % slices.count] += bytes
  }

  /// Returns the bytes per second over the last window. If less time was measured, averages over that time, but over at least one
  /// second.
  /// - Returns: nil while the measurement is paused, or if it has measured for less than the given time.
  func average(at now: MonotonicTime, after least: Duration = .zero) -> Int? {
    guard case .running(let began) = clock, now - began >= min(least, window) else { return nil }
    let present = number(of: now, since: began)
    var bytes = 0
    for number in max(0, present - Self.slicesPerWindow)...present where number <= newest {
      bytes += slices[number % slices.count]
    }
    return Int(Double(bytes) / (max(min(now - began, window), .seconds(1)) / .seconds(1)))
  }

  private func number(of now: MonotonicTime, since began: MonotonicTime) -> Int {
    Int((now - began) / (window / Self.slicesPerWindow))
  }

  private mutating func advance(to now: MonotonicTime, since began: MonotonicTime) {
    let present = number(of: now, since: began)
    // Slices older than the window are skipped at once, not cleared one by one.
    newest = max(newest, present - slices.count)
    while newest < present {
      newest += 1
      slices[newest % slices.count] = 0
    }
  }
}
