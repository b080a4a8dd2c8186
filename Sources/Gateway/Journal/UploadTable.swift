internal import Transport
internal import Wire

/// The uploads under way in all reactors: their number, the share of each address, and the rate of each body.
///
/// When no slot is left for a newcomer, an upload below `minimumBodyBytesPerSecond` loses its slot: of the address with the most
/// uploads the slowest. So slots cannot be occupied by bodies of a byte now and then, and a slow line uploads as long as there is
/// room.
final class UploadTable: Sendable {
  /// Names one upload, and no other later.
  typealias ID = UInt64

  /// The connection that brings an upload.
  struct Place: Equatable, Sendable {
    let reactor: Int
    let connection: Connection.Key
  }

  /// An upload that lost its slot: its reactor has to end it.
  struct Eviction: Equatable, Sendable {
    let id: ID
    let place: Place
    /// In bytes a second.
    let rate: Int
    /// The number of slots that were all taken, and their owner.
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

  /// The time for which a body may be slow before a newcomer from an address with as many uploads takes its slot. While only the slots
  /// of its address are taken, that time is `bodyRateSeconds`.
  private static let grace = Duration.seconds(5)
  /// The time for which a body of an address with more uploads than the newcomer's, but only a few, may be slow.
  private static let leastTime = Duration.seconds(2)

  private struct Row {
    let place: Place
    /// The network in whose share it is; nil for this machine's own.
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

    /// Returns the upload whose slot a newcomer gets: below a rate, of the address with the most uploads the slowest.
    ///
    /// An upload keeps its slot for the grace, except if its address will still have as many uploads as the newcomer's. Then an
    /// upload of an address with a few uploads keeps it for `leastTime`, and until the end of the grace as long as another upload
    /// can be evicted. An address with more uploads has no such time, so that it cannot hold slots with bodies that begin again
    /// and again.
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
        found = (rank, Eviction(id: id, place: row.place, rate: rate, slots: slots))
      }
      return found?.eviction
    }

    /// Returns the number of uploads of a network. This machine's own are not counted.
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

  /// Counts an upload, unless that would go beyond the limit, or beyond the quarter of it that one address may have, and none
  /// is evicted for it. Its rate is paused.
  ///
  /// - Parameters:
  ///   - address: the one in whose share it is counted; nil for this machine's own, which may have all.
  ///   - place: its connection.
  ///   - now: the present time.
  ///   - evict: has the reactor of an upload end it, and returns false if it cannot: then the upload keeps its slot.
  /// - Returns: its name in the table, or the refusal.
  func admit(
    from address: IPAddress?, at place: Place, now: MonotonicTime, evict: (Eviction) -> Bool
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
                "From your address \(share) uploads are taken at a time", share, fromAddress + 1)
              : .tooManyUploads(
                "This gateway takes \(limits.uploads) uploads at a time", limits.uploads,
                state.rows.count + 1))
        }
        state.remove(eviction.id)
      }
      let id = state.nextID
      state.nextID += 1
      state.rows[id] = Row(place: place, network: network, rate: BodyRate(window: window))
      if let network { state.counts[network, default: 0] += 1 }
      return .admitted(id)
    }
  }

  /// Gives the slot of an upload back, unless it was evicted.
  func release(_ id: ID) {
    state.withLock { $0.remove(id) }
  }

  /// Counts bytes that arrived.
  func add(_ bytes: Int, to id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.add(bytes, at: now) }
  }

  /// The peer is asked for more: from now on its rate counts.
  func resumeRate(of id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.resume(at: now) }
  }

  /// The gateway takes nothing for now, or has all there is: the peer cannot be evicted.
  func pauseRate(of id: ID, at now: MonotonicTime) {
    state.withLock { $0.rows[id]?.rate.pause(at: now) }
  }
}
