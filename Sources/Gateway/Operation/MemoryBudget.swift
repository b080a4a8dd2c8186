package import Wire

/// The memory that the gateway may use, divided among all that its peers can make grow: the shares together fit.
///
/// Limits that an operator set keep their values and take what they cost. The other limits get parts of the rest, at most their
/// defaults. Each cost is what was measured at the process, not what is counted: arrays have room to grow, small entries have an
/// index, and an allocator keeps some of what was freed.
package struct MemoryBudget: Equatable, Sendable {
  /// A part of the budget.
  package struct Share: Equatable, Sendable {
    /// The thing that takes it, in a word or two.
    package let name: String
    /// The most bytes that it takes.
    package let bytes: Int
    /// The limit that bounds it; nil for the program itself.
    package let limit: LimitDescription?

    package static func == (one: Share, other: Share) -> Bool {
      one.name == other.name && one.bytes == other.bytes && one.limit?.name == other.limit?.name
    }
  }

  /// The bytes that all shares together may take.
  package let total: Int
  /// The program's own share first.
  package let shares: [Share]
  /// The configuration's limits, with those that nobody set made to fit.
  package let limits: Limits

  /// Divides a budget.
  ///
  /// - Parameters:
  ///   - total: the bytes that there are.
  ///   - configuration: the settings.
  ///   - origins: tells which of the limits somebody set.
  /// - Throws: the numbers, when what was set does not fit.
  package init(
    of total: Int, for configuration: GatewayConfiguration, _ origins: SettingOrigins
  ) throws(MemoryFault) {
    let program = Self.programBytes + configuration.reactors * Self.reactorBytes
    var limits = configuration.limits
    let parts = Part.all(isSecure: configuration.https != nil).map { part in
      // A part that somebody set is not more than the whole.
      guard let inner = part.inner, origins.has(inner.settingName) else { return part }
      return part.needing(limits[keyPath: inner.keyPath])
    }
    let given = parts.filter { origins.has($0.limit.settingName) }
    let free = parts.filter { !origins.has($0.limit.settingName) }
    let fixed =
      program + given.reduce(0) { $0.addingSaturating($1.cost(of: limits[keyPath: $1.limit.keyPath])) }
    let least = free.reduce(0) { $0 + $1.cost(of: $1.least) }
    guard fixed.addingSaturating(least) <= total else {
      throw MemoryFault(
        total: total, program: program,
        given: given.map {
          (
            "\(origins.name(of: $0.limit.settingName)) \(Setting.describe($0.limit, in: limits))",
            $0.cost(of: limits[keyPath: $0.limit.keyPath])
          )
        }, least: least)
    }
    // What is left beyond the least is divided by weight. What one part does not want, the others get.
    var rest = total - fixed - least
    var open = free
    var values: [String: Int] = [:]
    while !open.isEmpty {
      let weights = open.reduce(0) { $0 + $1.weight }
      let full = open.filter { part in
        part.cost(of: limits[keyPath: part.limit.keyPath]) - part.cost(of: part.least)
          <= rest / weights * part.weight
      }
      guard !full.isEmpty else {
        for part in open {
          values[part.limit.name] = part.value(
            costing: part.cost(of: part.least) + rest / weights * part.weight)
        }
        break
      }
      for part in full {
        rest -= max(0, part.cost(of: limits[keyPath: part.limit.keyPath]) - part.cost(of: part.least))
      }
      open.removeAll { part in full.contains { $0.limit.name == part.limit.name } }
    }
    for part in free {
      if let value = values[part.limit.name] { limits[keyPath: part.limit.keyPath] = value }
    }
    for part in parts {
      // A session that keeps within its own limit must not be refused for what all together hold.
      guard let inner = part.inner, !origins.has(inner.settingName) else { continue }
      limits[keyPath: inner.keyPath] = min(
        limits[keyPath: inner.keyPath], limits[keyPath: part.limit.keyPath])
    }
    self.total = total
    self.limits = limits
    shares =
      [Share(name: "program", bytes: program, limit: nil)]
      + parts.map {
        Share(name: $0.name, bytes: $0.cost(of: limits[keyPath: $0.limit.keyPath]), limit: $0.limit)
      }
  }

  /// The bytes that nobody's share takes.
  package var unused: Int { total - shares.reduce(0) { $0.addingSaturating($1.bytes) } }

  /// The part of a machine's memory, or of a control group's, that is the budget unless `--memory` says otherwise. The kernel
  /// takes its own for sockets and files out of the rest.
  package static func standard(of usable: Int) -> Int { usable / 4 * 3 }

  /// True when a limit is not its default, because that would not fit.
  static func isDivided(_ setting: Setting, in configuration: GatewayConfiguration) -> Bool {
    Part.all(isSecure: true).flatMap { [$0.limit, $0.inner].compactMap(\.self) }.contains {
      $0.settingName == setting.name
        && configuration.limits[keyPath: $0.keyPath] != Limits()[keyPath: $0.keyPath]
    }
  }

  /// The program with its page, its threads and what they keep, without reactors.
  private static let programBytes = 56 << 20
  /// A reactor's buffers, compressors and one message that is inflated in steps.
  private static let reactorBytes = 4 << 20
}

extension MemoryBudget {
  /// What can grow, and what it costs.
  private struct Part {
    let name: String
    let limit: LimitDescription
    /// Sixteenths of a byte for each one that the limit counts.
    let sixteenths: Int
    /// The part of the budget that it gets, beside the others' weights.
    let weight: Int
    /// The least value that is of any use.
    private(set) var least: Int
    /// The limit that is for a part of what this one is for: it is not more.
    let inner: LimitDescription?

    init(
      _ name: String, _ limit: String, sixteenths: Int, weight: Int, least: Int, inner: String? = nil
    ) {
      self.name = name
      self.limit = Self.limit(limit)
      self.sixteenths = sixteenths
      self.weight = weight
      self.least = least
      self.inner = inner.map(Self.limit)
    }

    private static func limit(_ name: String) -> LimitDescription {
      guard let found = Limits.all.first(where: { $0.name == name }) else {
        preconditionFailure("a limit of the contract")
      }
      return found
    }

    /// The same part, which gets at least this value.
    func needing(_ value: Int) -> Part {
      var part = self
      part.least = max(least, value)
      return part
    }

    func cost(of value: Int) -> Int {
      let (product, overflows) = value.multipliedReportingOverflow(by: sixteenths)
      return overflows ? .max : product / 16
    }

    func value(costing bytes: Int) -> Int {
      // In round numbers, which are easier to read.
      let value = bytes * 16 / sixteenths
      return max(least, limit.unit == .bytes ? (value >> 20) << 20 : value)
    }

    static func all(isSecure: Bool) -> [Part] {
      [
        // A quarter more than the limit is what sessions hold at the worst, and a half for indexes and for room to grow.
        Part(
          "sessions", "memoryBytes", sixteenths: 16 * 15 / 8, weight: 9, least: 16 << 20,
          inner: "sessionLogBytes"),
        Part("half-received", "incompleteBytes", sixteenths: 24, weight: 3, least: 4 << 20),
        Part(
          "connections", "connections", sixteenths: 16 * (isSecure ? 24 : 6) * 1024, weight: 4, least: 64,
          inner: "connectionsPerAddress"),
        Part("uploads", "uploads", sixteenths: 16 * 384 * 1024, weight: 2, least: 4),
        // A copy of it is on its way to the disk.
        Part(
          "unsaved", "unsavedBytes", sixteenths: 16, weight: 2, least: 4 << 20, inner: "unsavedSessionBytes"),
      ]
    }
  }
}

/// Settings that do not fit into the memory that there is.
package struct MemoryFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bytes that there are.
  package let total: Int
  let program: Int
  /// The settings that somebody set, each with what it may take.
  let given: [(setting: String, bytes: Int)]
  /// What all else needs at the least.
  let least: Int

  package static func == (one: MemoryFault, other: MemoryFault) -> Bool {
    one.description == other.description
  }

  package var description: String {
    let parts = given.map { "\($0.setting) may take \(Self.size($0.bytes))" }
    let sum = given.reduce(program.addingSaturating(least)) { $0.addingSaturating($1.bytes) }
    return "--memory is \(Self.size(total)), and what is to fit may take \(Self.size(sum)): "
      + (parts + ["the program takes \(Self.size(program))", "everything else at least \(Self.size(least))"])
      .joined(separator: ", ") + ". Raise the one or lower the others."
  }

  private static func size(_ bytes: Int) -> String { SettingValue.rough(size: UInt64(clamping: bytes)) }
}

extension Int {
  fileprivate func addingSaturating(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
