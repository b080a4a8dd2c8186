/// Apple's `Subscribers`: the kinds of subscribers, and what they say.
public enum Subscribers {
  /// How a publisher ends.
  @frozen public enum Completion<Failure: Error> {
    /// As it should.
    case finished
    /// By an error.
    case failure(Failure)
  }

  /// How many values a subscriber asks for; at least none.
  @frozen public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// A number, or nil for all there will be.
    public let max: Int?

    /// All there will be.
    public static let unlimited = Demand(count: nil)
    /// None.
    public static let none = Demand(count: 0)

    private init(count: Int?) {
      max = count
    }

    /// A number, which must not be negative.
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "a demand is not negative, but this one is \(value)")
      return Demand(count: value)
    }

    /// The sum; with all, it is all.
    public static func + (left: Demand, right: Demand) -> Demand {
      guard let some = left.max, let more = right.max else { return .unlimited }
      let (sum, isTooMuch) = some.addingReportingOverflow(more)
      return isTooMuch ? .unlimited : Demand(count: sum)
    }

    /// The sum; with all, it is all.
    public static func += (left: inout Demand, right: Demand) {
      left = left + right
    }

    /// What is left; never less than none, and of all it is all.
    public static func - (left: Demand, right: Demand) -> Demand {
      guard let some = left.max else { return .unlimited }
      guard let less = right.max else { return .none }
      return Demand(count: Swift.max(0, some - less))
    }

    /// What is left; never less than none, and of all it is all.
    public static func -= (left: inout Demand, right: Demand) {
      left = left - right
    }

    /// Whether it asks for less; nothing is more than all.
    public static func < (left: Demand, right: Demand) -> Bool {
      guard let some = left.max else { return false }
      guard let other = right.max else { return true }
      return some < other
    }

    /// The number, or the word.
    public var description: String {
      max.map { "max(\($0))" } ?? "unlimited"
    }
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}
