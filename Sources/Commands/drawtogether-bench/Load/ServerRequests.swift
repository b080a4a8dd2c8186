internal import CommandSupport
internal import HTTP
internal import Networking
internal import Platform

/// Requests to the server under load.
struct ServerRequests {
  private let server: ServerURL
  private let client: BlockingHTTPClient

  init(_ server: ServerURL) throws(BenchError) {
    self.server = server
    let address: SocketAddress
    do throws(AddressError) {
      address = try SocketAddress(server.authority)
    } catch {
      throw .address(server, error)
    }
    do throws(BlockingHTTPClient.RequestError) {
      client = try BlockingHTTPClient(
        to: address, host: server.bareHost, isSecure: server.isSecure, timeout: .seconds(30))
    } catch {
      throw BenchError(error, target: "/")
    }
  }

  /// Sends a request without a body over a new connection, and returns the answer.
  func send(_ method: Method, _ target: String) throws(BenchError) -> BlockingHTTPClient.Response {
    let request = head(method, target, isLast: true)
    do throws(BlockingHTTPClient.RequestError) {
      return try client.send(request)
    } catch {
      throw BenchError(error, target: target)
    }
  }

  /// Creates sessions over one connection, as a proxy may do for all its clients. Returns their ids.
  func createSessions(_ count: Int) throws(BenchError) -> [String] {
    let target = "/api/sessions"
    let requests = (1...max(1, count)).prefix(count).map { head(.post, target, isLast: $0 == count) }
    let responses: [BlockingHTTPClient.Response]
    do throws(BlockingHTTPClient.RequestError) {
      responses = try client.send(requests)
    } catch {
      throw BenchError(error, target: target)
    }
    var ids: [String] = []
    for response in responses {
      guard response.status == .created, let location = response.fields.first("Location"),
        let slash = location.lastIndex(of: "/")
      else {
        throw .http(
          status: response.status.code, target: "POST /api/sessions",
          detail: String(decoding: response.body.prefix(300), as: UTF8.self))
      }
      ids.append(String(location[location.index(after: slash)...]))
    }
    return ids
  }

  /// Returns the head of a request without a body. The server closes the connection after the last request.
  private func head(_ method: Method, _ target: String, isLast: Bool) -> RequestHead {
    let head = RequestHead(
      method, target,
      fields: [
        "Host": server.authority, "Connection": isLast ? "close" : "keep-alive", "Content-Length": "0",
      ])
    guard let head else { preconditionFailure("\(target) is not a valid request target") }
    return head
  }
}

extension BenchError {
  /// Converts the error of a request.
  init(_ error: BlockingHTTPClient.RequestError, target: String) {
    switch error {
    case .unreachable(let error): self = .system(error)
    case .tls(let text): self = .tls(text)
    case .notHTTP: self = .notHTTP
    case .noAnswer: self = .noAnswer(target: target)
    case .timeout: self = .timeout(target: target)
    }
  }
}
