internal import Primitives

/// The rate at which the body of an upload arrives, averaged over the last seconds.
///
/// The bytes are counted in time slices. The sum of the last six complete slices and the present incomplete slice is divided by
/// the length of six slices (one window). So a short gap at the beginning of the present slice does not lower the rate.
struct BodyRate {
  private static let slicesPerWindow = 6

  private let window: Duration
  /// The number of bytes that arrived in each of the newest time slices. The slice with number n is at index n modulo
  /// `slices.count`.
  private var slices = [Int](repeating: 0, count: slicesPerWindow + 1)
  private var newest = 0
  private enum Clock {
    /// Time is not measured, because the gateway does not read the body. The value is the total time measured before this pause.
    case paused(after: Duration)
    /// Time is measured, because the gateway reads the body. The value is the time at which the body began, plus the total length
    /// of all pauses.
    case running(since: MonotonicTime)
  }

  private var clock = Clock.paused(after: .zero)

  /// Creates a paused measurement.
  init(window: Duration) {
    self.window = window
  }

  /// Resumes a paused measurement. The measured time does not include the pause.
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

  /// Returns the average over the last window, in bytes per second. If the measured time is shorter than the window, the average
  /// is over the measured time, but over at least one second.
  /// - Returns: the average; nil while the measurement is paused, or if the measured time is shorter than both `least` and the
  ///   window.
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
    // After a long gap, all slices are out of date. The loop then clears each of them once, instead of running once for each
    // slice of the gap.
    newest = max(newest, present - slices.count)
    while newest < present {
      newest += 1
      slices[newest % slices.count] = 0
    }
  }
}
