import Primitives
import Testing

@Suite("TokenBucket allows a burst up to its capacity, and then only the refill rate")
struct TokenBucketTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
  private static let rate = TokenBucket.Rate(tokensPerSecond: 10, capacity: 20)

  /// A bucket for which all times are given in milliseconds after its creation.
  private final class TimedBucket {
    var bucket = TokenBucket(full: rate, at: start)

    func take(_ amount: Double, atMs ms: Int64 = 0) -> Bool {
      bucket.tryConsume(amount, by: rate, at: start + .milliseconds(ms))
    }

    func delay(until amount: Double) -> Duration { bucket.delay(until: amount, by: rate) }
  }

  @Test("A full bucket allows its whole capacity immediately, and afterwards only the refill rate")
  func burst() {
    let bucket = TimedBucket()
    for _ in 0..<20 { #expect(bucket.take(1)) }
    #expect(!bucket.take(1))
    #expect(!bucket.take(1, atMs: 99))
    #expect(bucket.take(1, atMs: 101))
    #expect(!bucket.take(1, atMs: 101))
  }

  @Test("A bucket refills to its capacity and no further")
  func capacity() {
    let bucket = TimedBucket()
    #expect(bucket.take(20))
    #expect(bucket.take(20, atMs: 3_600_000))
    #expect(!bucket.take(1, atMs: 3_600_000))
  }

  @Test("A request for more tokens than the bucket has removes no tokens")
  func refusal() {
    let bucket = TimedBucket()
    #expect(bucket.take(15))
    #expect(!bucket.take(6))
    #expect(bucket.take(5))
  }

  @Test(
    "An amount above the capacity can be removed only from a full bucket, and leaves a negative number of tokens"
  )
  func debt() {
    let bucket = TimedBucket()
    #expect(bucket.take(50))
    #expect(bucket.delay(until: 1) == .milliseconds(3100))
    #expect(!bucket.take(1, atMs: 3099))
    #expect(bucket.take(1, atMs: 3101))
    #expect(!bucket.take(50, atMs: 4000))
  }

  @Test(
    "The delay until tokens are available is rounded up to milliseconds, and is zero if they are available now"
  )
  func delay() {
    let slow = TokenBucket.Rate(tokensPerSecond: 3, capacity: 3)
    var bucket = TokenBucket(full: slow, at: Self.start)
    #expect(bucket.delay(until: 3, by: slow) == .zero)
    bucket.consume(3)
    #expect(bucket.delay(until: 1, by: slow) == .milliseconds(334))
    #expect(
      bucket.delay(until: 100, by: slow) == .milliseconds(1000),
      "the delay for an amount above the capacity is the delay until the bucket is full")
  }

  @Test("An emptied bucket has exactly zero tokens")
  func emptied() {
    var bucket = TokenBucket(full: Self.rate, at: Self.start)
    bucket.consume(100)
    bucket.empty(at: Self.start)
    #expect(!bucket.canConsume(1, by: Self.rate))
    #expect(bucket.delay(until: 1, by: Self.rate) == .milliseconds(100))
  }

  @Test(
    "If the given time is before the last refill, no tokens are added, and the next refill is not delayed")
  func earlierTime() {
    let bucket = TimedBucket()
    #expect(bucket.take(20))
    #expect(!bucket.take(1, atMs: -60_000))
    #expect(bucket.take(1, atMs: 101))
  }

  @Test("A bucket that is created without a time is full at its first use")
  func withoutTime() {
    let bucket = TimedBucket()
    bucket.bucket = TokenBucket(full: Self.rate)
    let years = 100 * 365 * 86_400_000 as Int64
    #expect(bucket.take(20, atMs: years))
    #expect(!bucket.take(1, atMs: years))
  }

  @Test("If one of two token buckets has too few tokens, the other bucket loses no tokens either")
  func twoQuantities() {
    let byteRate = TokenBucket.Rate(tokensPerSecond: 1000, capacity: 2000)
    var entries = TokenBucket(full: Self.rate, at: Self.start)
    var bytes = TokenBucket(full: byteRate, at: Self.start)
    func take(_ size: Double) -> Bool {
      guard entries.canConsume(1, by: Self.rate), bytes.canConsume(size, by: byteRate) else { return false }
      entries.consume(1)
      bytes.consume(size)
      return true
    }
    #expect(take(1500))
    #expect(!take(600))
    #expect(take(500))
    #expect(entries.canConsume(18, by: Self.rate) && !entries.canConsume(19, by: Self.rate))
  }
}
