internal import Transport
internal import Wire

/// The uploads under way in all reactors: their number, the share of each address, and the rate of each body.
///
/// When no slot is left for a newcomer, the slowest upload below `minimumBodyBytesPerSecond` loses its slot. So slots cannot be
/// occupied by bodies of a byte now and then, and a slow line uploads as long as there is room.
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
  }

  /// The decision about a newcomer.
  enum Admission {
    case admitted(ID, inPlaceOf: Eviction?)
    case refused(Refusal)
  }

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

    /// The slowest upload below a rate, of one network or of all.
    func slowest(below minimum: Int, of network: IPAddress?, at now: MonotonicTime) -> Eviction? {
      var slowest: Eviction?
      for (id, row) in rows where network == nil || row.network == network {
        guard let rate = row.rate.average(at: now), rate < minimum, rate < slowest?.rate ?? .max else {
          continue
        }
        slowest = Eviction(id: id, place: row.place, rate: rate)
      }
      return slowest
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
  /// is slow enough to be evicted. Its rate is paused.
  ///
  /// - Parameters:
  ///   - address: the one in whose share it is counted; nil for this machine's own, which may have all.
  ///   - place: its connection.
  ///   - now: the present time.
  /// - Returns: its name in the table, or the refusal.
  func admit(from address: IPAddress?, at place: Place, now: MonotonicTime) -> Admission {
    let network = address?.network
    let share = max(1, limits.uploads / 4)
    return state.withLock { state in
      var evicted: Eviction?
      let fromAddress = network.flatMap { state.counts[$0] } ?? 0
      let isShareFull = network != nil && fromAddress >= share
      if isShareFull || state.rows.count >= limits.uploads {
        evicted = state.slowest(
          below: limits.minimumBodyBytesPerSecond, of: isShareFull ? network : nil, at: now)
        guard let evicted else {
          return .refused(
            isShareFull
              ? .tooManyUploads(
                "From your address \(share) uploads are taken at a time", share, fromAddress + 1)
              : .tooManyUploads(
                "This gateway takes \(limits.uploads) uploads at a time", limits.uploads,
                state.rows.count + 1))
        }
        state.remove(evicted.id)
      }
      let id = state.nextID
      state.nextID += 1
      let window = Duration.seconds(limits.bodyRateSeconds)
      state.rows[id] = Row(place: place, network: network, rate: BodyRate(window: window))
      if let network { state.counts[network, default: 0] += 1 }
      return .admitted(id, inPlaceOf: evicted)
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
  func pauseRate(of id: ID) {
    state.withLock { $0.rows[id]?.rate.pause() }
  }
}
