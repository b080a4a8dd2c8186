internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// The uploads under way in all reactors: their number, the share of each address, and the rate of each body.
///
/// When no slot is left for a newcomer, an upload below `minimumBodyBytesPerSecond` loses its slot: the slowest upload of the
/// address with the most uploads. So bodies that bring a byte now and then cannot occupy the slots, and a client with a slow line
/// can upload as long as there is room.
final class UploadTable: Sendable {
  /// The identifier of an upload. No later upload gets the same one.
  typealias ID = UInt64

  /// An upload that lost its slot: its reactor has to end it.
  struct Eviction: Equatable, Sendable {
    let id: ID
    let reactor: Int
    /// In bytes a second.
    let rate: Int
    /// The slots that were all taken.
    let slots: Slots
  }

  /// The slots that are all taken.
  enum Slots: Equatable, Sendable {
    case ofAll(Int)
    case ofAddress(Int)

    var description: String {
      switch self {
      case .ofAll(let count): "all \(count) upload slots are taken (uploads)"
      case .ofAddress(let count): "all \(count) upload slots of your address are taken (a quarter of uploads)"
      }
    }
  }

  /// The decision about a newcomer.
  enum Admission {
    case admitted(ID)
    case refused(Refusal)
  }

  /// The time for which a body may be slow before a newcomer from an address with as many uploads takes its slot. If only the
  /// slots of the newcomer's address are all taken, this time is `bodyRateSeconds`.
  private static let grace = Duration.seconds(5)
  /// The time for which a body may be slow if its address has more uploads than the newcomer's, but only a few.
  private static let leastTime = Duration.seconds(2)

  private struct Row {
    let reactor: Int
    /// The network whose share the upload counts in; nil for an upload from this machine.
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

    /// Returns the upload that loses its slot to a newcomer: the slowest one below a rate, of the address with the most uploads.
    ///
    /// An upload keeps its slot during the grace time, unless its address will still have as many uploads as the newcomer's after
    /// the eviction. In that case an upload of an address with a few uploads keeps its slot for `leastTime`, and during the grace
    /// time as long as another upload can be evicted. An upload of an address with more uploads has no such time, so that the
    /// address cannot hold slots with bodies that begin again and again.
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

  /// The number of uploads at present.
  var count: Int { state.withLock { $0.rows.count } }

  /// Adds an upload, with a paused rate. When the limit is reached, or the quarter of it that one address may have, the upload is
  /// added only if another one is evicted for it.
  ///
  /// - Parameters:
  ///   - address: the address whose share the upload counts in; nil for this machine, which may have all slots.
  ///   - reactor: the number of the upload's reactor.
  ///   - now: the present time.
  ///   - evict: asks the reactor of an upload to end it; returns false if that fails, and the upload then keeps its slot.
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
                "From your address \(share) uploads are accepted at a time", share, fromAddress + 1)
              : .tooManyUploads(
                "This gateway takes \(limits.uploads) uploads at a time", limits.uploads,
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

  /// Resumes the rate of an upload, because the gateway waits for its body.
  func resumeRate(of id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.resume(at: now) }
  }

  /// Pauses the rate of an upload, because the gateway reads nothing for now or has the whole body. The upload cannot be evicted
  /// during the pause.
  func pauseRate(of id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.pause(at: now) }
  }
}
