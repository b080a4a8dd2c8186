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

  /// Sends a request without a body and returns the answer.
  func send(_ method: Method, _ target: String) throws(BenchError) -> BlockingHTTPClient.Response {
    let head = RequestHead(
      method, target, fields: ["Host": server.authority, "Connection": "close", "Content-Length": "0"])
    guard let head else { preconditionFailure("\(target) is not a valid request target") }
    do throws(BlockingHTTPClient.RequestError) {
      return try client.send(head)
    } catch {
      throw BenchError(error, target: target)
    }
  }

  /// Creates a session. Returns its id.
  func createSession() throws(BenchError) -> String {
    let response = try send(.post, "/api/sessions")
    guard response.status == .created, let location = response.fields.first("Location"),
      let slash = location.lastIndex(of: "/")
    else {
      throw .http(
        status: response.status.code, target: "POST /api/sessions",
        detail: String(decoding: response.body.prefix(300), as: UTF8.self))
    }
    return String(location[location.index(after: slash)...])
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
