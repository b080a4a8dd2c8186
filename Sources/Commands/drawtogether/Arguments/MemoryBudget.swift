internal import Gateway
internal import Wire

/// The memory that the gateway may use, divided into shares. Each share is for data that peers can make grow. All shares together
/// fit into the memory.
///
/// A limit that the operator set keeps its value, and its full cost is reserved. The other limits get parts of the rest, at most
/// their defaults. Each cost was measured as memory of the process. The cost is higher than the amount that the limit counts:
/// arrays have room to grow, small entries have an index, and an allocator keeps some freed memory.
struct MemoryBudget: Equatable, Sendable {
  /// A part of the budget.
  struct Share: Equatable, Sendable {
    /// The consumer of the memory, in a word or two.
    let name: String
    /// The maximum number of bytes that the consumer takes.
    let bytes: Int
    /// The limit that bounds the share; nil for the program itself.
    let limit: LimitDescription?

    static func == (one: Share, other: Share) -> Bool {
      one.name == other.name && one.bytes == other.bytes && one.limit?.name == other.limit?.name
    }
  }

  /// The maximum number of bytes of all shares together.
  let total: Int
  /// The shares of memory. The program's own share comes first.
  let shares: [Share]
  /// The configuration's limits. Limits that the operator did not set are lowered until all shares fit.
  let limits: Limits

  /// Divides a budget.
  ///
  /// - Parameters:
  ///   - total: the number of available bytes.
  ///   - configuration: the settings.
  ///   - origins: the origins of the settings, which show the limits that the operator set.
  /// - Throws: `CommandError.memory` when the settings do not fit.
  init(
    of total: Int, for configuration: GatewayConfiguration, _ origins: SettingOrigins
  ) throws(CommandError) {
    let program = Self.programBytes + configuration.reactors * Self.reactorBytes
    var limits = configuration.limits
    let parts = Part.all(isSecure: configuration.https != nil).map { part in
      // If the operator set an inner limit, such as the limit of one session, then the outer limit, such as the limit of all
      // sessions together, must be at least as high.
      guard let inner = part.inner, origins.has(inner.settingName) else { return part }
      return part.needing(limits[keyPath: inner.keyPath])
    }
    let given = parts.filter { origins.has($0.limit.settingName) }
    let free = parts.filter { !origins.has($0.limit.settingName) }
    let fixed =
      program + given.reduce(0) { $0.addingSaturating($1.cost(of: limits[keyPath: $1.limit.keyPath])) }
    let least = free.reduce(0) { $0 + $1.cost(of: $1.least) }
    guard fixed.addingSaturating(least) <= total else {
      throw .memory(
        MemoryShortage(
          total: total, program: program,
          given: given.map {
            MemoryShortage.Claim(
              setting: "\(origins.name(of: $0.limit.settingName)) \(Setting.describe($0.limit, in: limits))",
              bytes: $0.cost(of: limits[keyPath: $0.limit.keyPath]))
          }, least: least))
    }
    // Each part first gets its minimum. The remaining bytes are divided by weight. Bytes that one part does not need are
    // given to the others.
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
      // A session within its own limit must not be refused because of the limit of all sessions. So the inner limit is lowered to
      // the outer limit.
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

  /// The number of bytes that belong to no share.
  var unused: Int { total - shares.reduce(0) { $0.addingSaturating($1.bytes) } }

  /// Returns the budget of a gateway without `--memory`: three quarters of the memory of the machine or control group. The kernel
  /// uses the rest for sockets and files.
  static func standard(of usable: Int) -> Int { usable / 4 * 3 }

  /// Returns true if a limit differs from its default because the default would not fit into the memory.
  static func isDivided(_ setting: Setting, in configuration: GatewayConfiguration) -> Bool {
    Part.all(isSecure: true).flatMap { [$0.limit, $0.inner].compactMap(\.self) }.contains {
      $0.settingName == setting.name
        && configuration.limits[keyPath: $0.keyPath] != Limits()[keyPath: $0.keyPath]
    }
  }

  /// The number of bytes for the program, the files of its page, and its threads, without reactors.
  private static let programBytes = 56 << 20
  /// The number of bytes for a reactor's buffers, its compressors, and one message that is inflated in steps.
  private static let reactorBytes = 4 << 20
}

extension MemoryBudget {
  /// A kind of data that needs memory, with the limit that bounds the data and the cost of one unit of the limit.
  private struct Part {
    let name: String
    let limit: LimitDescription
    /// The cost of each unit that the limit counts, in sixteenths of a byte.
    let sixteenths: Int
    /// The weight of this part when the free budget is divided.
    let weight: Int
    /// The lowest useful value of the limit.
    private(set) var least: Int
    /// A limit for one share of the resource, such as for one session. `limit` bounds the whole resource, so `inner` is at most
    /// `limit`.
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
        preconditionFailure("there is no limit named \(name)")
      }
      return found
    }

    /// Returns a copy of this part of the budget, with `least` raised to `value` if `least` is lower.
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
      // A limit in bytes is rounded down to whole MiB, because round numbers are easier to read.
      let value = bytes * 16 / sixteenths
      return max(least, limit.unit == .bytes ? (value >> 20) << 20 : value)
    }

    static func all(isSecure: Bool) -> [Part] {
      [
        // Sessions use at most 1.25 times the limit. Indexes, and the unused capacity of arrays, add half of this amount.
        Part(
          "sessions", "memoryBytes", sixteenths: 16 * 15 / 8, weight: 9, least: 16 << 20,
          inner: "sessionLogBytes"),
        Part("half-received", "incompleteBytes", sixteenths: 24, weight: 3, least: 4 << 20),
        Part(
          "connections", "connections", sixteenths: 16 * (isSecure ? 24 : 6) * 1024, weight: 4, least: 64,
          inner: "connectionsPerAddress"),
        Part("uploads", "uploads", sixteenths: 16 * 384 * 1024, weight: 2, least: 4),
        // This part is for the copy of the unsaved entries. The copy exists while it is written to the disk.
        Part(
          "unsaved", "unsavedBytes", sixteenths: 16, weight: 2, least: 4 << 20, inner: "unsavedSessionBytes"),
      ]
    }
  }
}

/// The figures for the error that the settings need more memory than is available.
struct MemoryShortage: Equatable, Sendable, CustomStringConvertible {
  /// A setting of the operator, with its maximum cost in bytes.
  struct Claim: Equatable, Sendable {
    let setting: String
    let bytes: Int
  }

  /// The number of available bytes.
  let total: Int
  let program: Int
  let given: [Claim]
  /// The minimum number of bytes for everything except the program and the settings in `given`.
  let least: Int

  var description: String {
    let parts = given.map { "\($0.setting) may need \(Self.size($0.bytes))" }
    let sum = given.reduce(program.addingSaturating(least)) { $0.addingSaturating($1.bytes) }
    return "--memory is \(Self.size(total)), but the limits may need \(Self.size(sum)): "
      + (parts + [
        "the program needs \(Self.size(program))", "all other parts need at least \(Self.size(least))",
      ])
      .joined(separator: ", ") + ". Raise --memory or lower the limits."
  }

  private static func size(_ bytes: Int) -> String { SettingValue.rough(size: UInt64(clamping: bytes)) }
}

extension Int {
  fileprivate func addingSaturating(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
