internal import Networking
internal import Platform

/// What asks the system's resolver, which may block for as long as it likes: never on a thread that others wait for.
///
/// Each name has one thread at a time, however many wait for it and however often they come back.
final class NameLookups: Sendable {
  /// Asks for the addresses of `HOST:PORT`, and blocks.
  typealias Resolver = @Sendable (String) throws(AddressError) -> [SocketAddress]
  private typealias Lookup = Outcome<[SocketAddress]>

  /// The process's.
  static let shared = NameLookups { (name) throws(AddressError) in try SocketAddress.resolve(name) }

  private let resolver: Resolver
  private let underWay = Guarded<[String: Lookup]>([:])

  init(_ resolver: @escaping Resolver) {
    self.resolver = resolver
  }

  /// The addresses of a gateway; for who waits without blocking.
  ///
  /// - Throws: `unreachable` when there is none, or no answer within the time; `cancelled`.
  func addresses(
    of gateway: GatewayAddress, within limit: Duration
  ) async throws(RequestFailure) -> [SocketAddress] {
    // A number needs nobody to ask.
    if let ip = IPAddress(gateway.host) { return [SocketAddress(ip: ip, port: gateway.port)] }
    let lookup = lookup(for: gateway)
    let result = await withTaskGroup(of: Result<[SocketAddress], RequestFailure>.self) { group in
      group.addTask {
        do throws(RequestFailure) {
          return .success(try await lookup.value())
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        do { try await Task.sleep(for: limit) } catch { return .failure(.cancelled) }
        return .failure(.unreachable("\(gateway) has no address yet: nobody told it within \(limit)"))
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.cancelled)
    }
    return try result.get()
  }

  private func lookup(for gateway: GatewayAddress) -> Lookup {
    let name = gateway.endpoint
    let (lookup, isNew) = underWay.withLock { underWay in
      if let lookup = underWay[name] { return (lookup, false) }
      let lookup = Lookup()
      underWay[name] = lookup
      return (lookup, true)
    }
    guard isNew else { return lookup }
    do throws(SystemError) {
      try SystemThread(name: "requests-lookup") { [self] in
        end(lookup, of: name, with: look(up: name, for: gateway))
      }.detach()
    } catch {
      let failure = RequestFailure.unreachable("there is no thread to look up \(gateway): \(error)")
      end(lookup, of: name, with: .failure(failure))
    }
    return lookup
  }

  private func look(
    up name: String, for gateway: GatewayAddress
  ) -> Result<[SocketAddress], RequestFailure> {
    do throws(AddressError) {
      return .success(try resolver(name))
    } catch {
      return .failure(.unreachable("\(gateway) \(error)"))
    }
  }

  private func end(
    _ lookup: Lookup, of name: String, with result: Result<[SocketAddress], RequestFailure>
  ) {
    // Whoever asks from here on asks anew.
    underWay.withLock { $0[name] = nil }
    lookup.settle(result)
  }
}
