internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// The table of all uploads in progress, in all reactors: their total number, their number for each address, and the rate of each
/// body.
///
/// When no slot is left for a new upload, one upload that is slower than `minimumBodyBytesPerSecond` is evicted: the slowest such
/// upload of the address with the most uploads. So clients that send very slowly cannot occupy all slots, but a client with a
/// slow line can upload as long as there are free slots.
final class UploadTable: Sendable {
  /// The identifier of an upload. No later upload gets the same identifier.
  typealias ID = UInt64

  /// An upload that lost its slot and has to be ended by its reactor.
  struct Eviction: Equatable, Sendable {
    let id: ID
    let reactor: Int
    /// The measured rate in bytes per second.
    let rate: Int
    /// The set of slots that was full, so that an upload had to be evicted.
    let slots: Slots
  }

  /// A set of slots: all slots of the gateway, or the slots that one address may use. The value is the number of slots.
  enum Slots: Equatable, Sendable {
    case ofAll(Int)
    case ofAddress(Int)

    var description: String {
      switch self {
      case .ofAll(let count): "all \(count) upload slots of the gateway are taken (limit: uploads)"
      case .ofAddress(let count):
        "all \(count) upload slots of your address are taken (a quarter of the gateway's slots)"
      }
    }
  }

  /// The decision about a new upload.
  enum Admission {
    case admitted(ID)
    case refused(Refusal)
  }

  /// The time for which a body may be slow before a new upload can take its slot, if all slots of the gateway are full. If only
  /// the slots of the new upload's own address are full, this time is `bodyRateSeconds`.
  private static let grace = Duration.seconds(5)
  /// The time after the beginning of an upload during which the upload cannot be evicted, if its address has at most `few`
  /// uploads (see `eviction`). If that address has at most one upload more than the address of the new upload, `grace` applies
  /// instead.
  private static let leastTime = Duration.seconds(2)

  private struct Row {
    let reactor: Int
    /// The client's network, to which the limit for an address applies; nil for an upload from this machine.
    let network: IPAddress?
    var rate: BodyRate
  }

  private struct State {
    var rows: [ID: Row] = [:]
    var counts: [IPAddress: Int] = [:]
    var nextID: ID = 1

    mutating func remove(_ id: ID) {
      guard let network = rows.removeValue(forKey: id)?.network else { return }
      counts[network] = counts[network].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// Returns the upload to evict for a new upload: of the uploads slower than `minimum`, the slowest upload of the address with
    /// the most uploads.
    ///
    /// An upload cannot be evicted for some time after its beginning. This time depends on the number of uploads of its address:
    ///
    /// - The time is `grace` if the address has at most one upload more than the address of the new upload.
    /// - Otherwise, the time is `leastTime` if the address has at most `few` uploads. From `leastTime` to `grace`, the upload is
    ///   evicted only if there is no other candidate.
    /// - Otherwise, the time is zero, so that an address cannot occupy slots by restarting its uploads.
    func eviction(
      below minimum: Int, after grace: Duration, of slots: Slots, for network: IPAddress?, few: Int,
      at now: MonotonicTime
    ) -> Eviction? {
      let own = count(of: network)
      var found: (rank: (Int, Int, Int, ID), eviction: Eviction)?
      for (id, row) in rows {
        if case .ofAddress = slots, row.network != network { continue }
        let count = count(of: row.network)
        let hasFew = count <= few
        let least = count <= own + 1 ? grace : hasFew ? UploadTable.leastTime : .zero
        guard let rate = row.rate.average(at: now, after: least), rate < minimum else { continue }
        let isInGrace = hasFew && row.rate.average(at: now, after: grace) == nil
        let rank = (isInGrace ? 1 : 0, -count, rate, id)
        if let found, found.rank < rank { continue }
        found = (rank, Eviction(id: id, reactor: row.reactor, rate: rate, slots: slots))
      }
      return found?.eviction
    }

    /// Returns the number of uploads of a network. Uploads from this machine are not counted.
    func count(of network: IPAddress?) -> Int {
      network.flatMap { counts[$0] } ?? 0
    }
  }

  private let limits: Limits
  private let state = Guarded(State())

  /// Creates an empty table under the limits `uploads`, `minimumBodyBytesPerSecond` and `bodyRateSeconds`.
  init(limits: Limits) {
    self.limits = limits
  }

  /// The present number of uploads in all reactors.
  var count: Int { state.withLock { $0.rows.count } }

  /// Adds an upload. The measurement of its rate begins with `resumeRate`. One address may have a quarter of all slots. If all
  /// slots of the gateway, or all slots of this address, are taken, the upload is added only if another upload can be evicted.
  ///
  /// - Parameters:
  ///   - address: the client's address, to which the limit of a quarter applies; nil for this machine, which may use all slots.
  ///   - reactor: the number of the upload's reactor.
  ///   - now: the present time.
  ///   - evict: asks the reactor of an upload to end this upload. If it returns false, the upload keeps its slot, and the new
  ///     upload is refused.
  /// - Returns: the identifier of the upload, or the refusal.
  func admit(
    from address: IPAddress?, on reactor: Int, now: MonotonicTime, evict: (Eviction) -> Bool
  ) -> Admission {
    let network = address?.network
    let share = max(1, limits.uploads / 4)
    let window = Duration.seconds(limits.bodyRateSeconds)
    return state.withLock { state in
      let fromAddress = state.count(of: network)
      let isShareFull = network != nil && fromAddress >= share
      if isShareFull || state.rows.count >= limits.uploads {
        let slots = isShareFull ? Slots.ofAddress(share) : .ofAll(limits.uploads)
        let eviction = state.eviction(
          below: limits.minimumBodyBytesPerSecond, after: isShareFull ? window : Self.grace, of: slots,
          for: network, few: max(1, share / 8), at: now)
        guard let eviction, evict(eviction) else {
          return .refused(
            isShareFull
              ? .tooManyUploads(
                "An address may have \(share) uploads at a time", share, fromAddress + 1)
              : .tooManyUploads(
                "This gateway accepts \(limits.uploads) uploads at a time", limits.uploads,
                state.rows.count + 1))
        }
        state.remove(eviction.id)
      }
      let id = state.nextID
      state.nextID += 1
      state.rows[id] = Row(reactor: reactor, network: network, rate: BodyRate(window: window))
      if let network { state.counts[network, default: 0] += 1 }
      return .admitted(id)
    }
  }

  /// Releases the slot of an upload, unless the upload was evicted.
  func release(_ id: ID) {
    state.withLock { $0.remove(id) }
  }

  /// Counts bytes that arrived.
  func add(_ bytes: Int, to id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.add(bytes, at: now) }
  }

  /// Resumes the measurement of an upload's rate, because the gateway now reads its body.
  func resumeRate(of id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.resume(at: now) }
  }

  /// Pauses the measurement of an upload's rate, because the gateway does not read its body at present or has received all of it.
  /// An upload cannot be evicted during this pause.
  func pauseRate(of id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.pause(at: now) }
  }
}
