internal import Networking
internal import Platform

/// Address lookups by the system's resolver, which may block for an unlimited time. Each lookup has its own thread, so that the
/// lookup does not delay other requests.
///
/// All requests that wait for the same name share one lookup and its thread.
final class AddressResolver: Sendable {
  /// Resolves `HOST:PORT`; a blocking call.
  typealias Resolver = @Sendable (String) throws(AddressError) -> [SocketAddress]
  private typealias Lookup = Promise<[SocketAddress]>

  /// The resolver of the process.
  static let shared = AddressResolver { (name) throws(AddressError) in try SocketAddress.resolve(name) }

  private let resolver: Resolver
  private let pending = Guarded<[String: Lookup]>([:])

  init(_ resolver: @escaping Resolver) {
    self.resolver = resolver
  }

  /// Returns the addresses of a gateway, without blocking the thread.
  ///
  /// - Throws: `unreachable` when there is no address, or no result within the time limit; `cancelled`.
  func addresses(
    of gateway: GatewayAddress, within limit: Duration
  ) async throws(SessionClientError) -> [SocketAddress] {
    // An IP address needs no lookup.
    if let ip = IPAddress(gateway.host) { return [SocketAddress(ip: ip, port: gateway.port)] }
    let lookup = lookup(for: gateway)
    let result = await withTaskGroup(of: Result<[SocketAddress], SessionClientError>.self) { group in
      group.addTask {
        do throws(SessionClientError) {
          return .success(try await lookup.value())
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        do { try await Task.sleep(for: limit) } catch { return .failure(.cancelled) }
        return .failure(.unreachable("the address of \(gateway) was not resolved within \(limit)"))
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.cancelled)
    }
    return try result.get()
  }

  private func lookup(for gateway: GatewayAddress) -> Lookup {
    let name = gateway.endpoint
    let (lookup, isNew) = pending.withLock { pending in
      if let lookup = pending[name] { return (lookup, false) }
      let lookup = Lookup()
      pending[name] = lookup
      return (lookup, true)
    }
    guard isNew else { return lookup }
    do throws(SystemError) {
      try SystemThread(name: "requests-lookup") { [self] in
        end(lookup, of: name, with: look(up: name, for: gateway))
      }.detach()
    } catch {
      let failure = SessionClientError.unreachable("no thread is available to resolve \(gateway): \(error)")
      end(lookup, of: name, with: .failure(failure))
    }
    return lookup
  }

  private func look(
    up name: String, for gateway: GatewayAddress
  ) -> Result<[SocketAddress], SessionClientError> {
    do throws(AddressError) {
      return .success(try resolver(name))
    } catch {
      return .failure(.unreachable("\(gateway) \(error)"))
    }
  }

  private func end(
    _ lookup: Lookup, of name: String, with result: Result<[SocketAddress], SessionClientError>
  ) {
    // The lookup is removed, so that later requests begin a new one.
    pending.withLock { $0[name] = nil }
    lookup.resolve(result)
  }
}
