internal import Transport

/// The rate at which a body arrives, averaged over the last seconds.
///
/// Bytes are counted in slices of a sixth of that time. The present slice counts in addition, so that a pause at its beginning is
/// not held against the peer.
struct BodyRate {
  private static let slicesPerWindow = 6

  private let window: Duration
  /// The bytes of the newest slices, each at its number modulo their count.
  private var slices = [Int](repeating: 0, count: slicesPerWindow + 1)
  private var newest = 0
  /// Nil while the gateway, not the peer, is what the body waits for.
  private var began: MonotonicTime?

  /// Creates a rate that is paused.
  init(window: Duration) {
    self.window = window
  }

  /// Measures anew from now on, if it was paused.
  mutating func resume(at now: MonotonicTime) {
    guard began == nil else { return }
    began = now
    newest = 0
    for index in slices.indices { slices[index] = 0 }
  }

  mutating func pause() {
    began = nil
  }

  /// Counts bytes that arrived.
  mutating func add(_ bytes: Int, at now: MonotonicTime) {
    guard let began else { return }
    advance(to: now, since: began)
    slices[newest % slices.count] += bytes
  }

  /// Returns the bytes a second of the last window; `nil` while it is paused, or has been measured for less than a window.
  func average(at now: MonotonicTime) -> Int? {
    guard let began, now - began >= window else { return nil }
    let present = number(of: now, since: began)
    var bytes = 0
    for number in max(0, present - Self.slicesPerWindow)...present where number <= newest {
      bytes += slices[number % slices.count]
    }
    return Int(Double(bytes) / (window / .seconds(1)))
  }

  private func number(of now: MonotonicTime, since began: MonotonicTime) -> Int {
    Int((now - began) / (window / Self.slicesPerWindow))
  }

  private mutating func advance(to now: MonotonicTime, since began: MonotonicTime) {
    let present = number(of: now, since: began)
    // Those that no window reaches any more need not be passed one by one.
    newest = max(newest, present - slices.count)
    while newest < present {
      newest += 1
      slices[newest % slices.count] = 0
    }
  }
}
