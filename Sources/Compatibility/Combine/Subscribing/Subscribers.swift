/// The subscribers and their types (Apple's `Subscribers`).
public enum Subscribers {
  /// The end of a publisher.
  @frozen public enum Completion<Failure: Error> {
    /// The publisher finished.
    case finished
    /// The publisher failed.
    case failure(Failure)
  }

  /// The number of values that a subscriber requests.
  @frozen public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The number of requested values; nil if the number is unlimited.
    public let max: Int?

    /// A demand for all values that the publisher has.
    public static let unlimited = Demand(count: nil)
    /// A demand for no values.
    public static let none = Demand(count: 0)

    private init(count: Int?) {
      max = count
    }

    /// Returns a demand for a number of values, which must not be negative.
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "a demand must not be negative, but is \(value)")
      return Demand(count: value)
    }

    /// Returns the sum, which is unlimited if one of the demands is unlimited.
    public static func + (left: Demand, right: Demand) -> Demand {
      guard let some = left.max, let more = right.max else { return .unlimited }
      let (sum, isTooMuch) = some.addingReportingOverflow(more)
      return isTooMuch ? .unlimited : Demand(count: sum)
    }

    /// Adds a demand.
    public static func += (left: inout Demand, right: Demand) {
      left = left + right
    }

    /// Returns the difference, which is at least zero, and unlimited if the left demand is unlimited.
    public static func - (left: Demand, right: Demand) -> Demand {
      guard let some = left.max else { return .unlimited }
      guard let less = right.max else { return .none }
      return Demand(count: Swift.max(0, some - less))
    }

    /// Subtracts a demand.
    public static func -= (left: inout Demand, right: Demand) {
      left = left - right
    }

    /// Returns true if the left demand is smaller.
    public static func < (left: Demand, right: Demand) -> Bool {
      guard let some = left.max else { return false }
      guard let other = right.max else { return true }
      return some < other
    }

    /// The demand as text.
    public var description: String {
      max.map { "max(\($0))" } ?? "unlimited"
    }
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}
