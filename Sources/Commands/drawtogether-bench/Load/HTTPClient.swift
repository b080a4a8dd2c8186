internal import HTTP
internal import Networking
internal import Platform
internal import Primitives

/// A blocking HTTP client with one connection per request.
struct HTTPClient {
  /// An answer.
  struct Reply {
    let status: Int
    let fields: FieldList
    let body: [UInt8]
  }

  private static let timeout = Duration.seconds(30)

  private let server: ServerURL
  private let address: SocketAddress
  private let clientTLS: TLSClientContext?

  init(_ server: ServerURL) throws(BenchError) {
    self.server = server
    do throws(AddressError) {
      address = try SocketAddress(server.authority)
    } catch {
      throw .address(server, error)
    }
    clientTLS = try server.isSecure ? ClientTLS.context() : nil
  }

  /// Sends a request without a body and returns the answer.
  func ask(_ method: Method, _ target: String) throws(BenchError) -> Reply {
    let head = RequestHead(
      method, target, fields: ["Host": server.authority, "Connection": "close", "Content-Length": "0"])
    guard let head else { preconditionFailure("\(target) is a valid target") }
    var request: [UInt8] = []
    head.append(to: &request)
    let conversation = try Conversation(to: address, clientTLS?.makeConnection(to: server.bareHost), target)
    return try conversation.exchange(request, method)
  }

  /// Creates a session. Returns its id.
  func createSession() throws(BenchError) -> String {
    let reply = try ask(.post, "/api/sessions")
    guard reply.status == 201, let location = reply.fields.first("Location"),
      let slash = location.lastIndex(of: "/")
    else {
      throw .http(
        status: reply.status, target: "POST /api/sessions",
        detail: String(decoding: reply.body.prefix(300), as: UTF8.self))
    }
    return String(location[location.index(after: slash)...])
  }

  private struct Conversation {
    private let target: String
    private let socket: Socket
    private let tls: TLSConnection?
    private let deadline = MonotonicTime.now() + HTTPClient.timeout

    init(to address: SocketAddress, _ tls: TLSConnection?, _ target: String) throws(BenchError) {
      self.target = target
      self.tls = tls
      do throws(SystemError) {
        let descriptor = try Socket.connect(to: address)
        socket = Socket(descriptor.release())
      } catch {
        throw .system(error)
      }
    }

    func exchange(_ request: [UInt8], _ method: Method) throws(BenchError) -> Reply {
      defer { _ = OwnedDescriptor(owning: socket.descriptor) }
      try wait(.writable)
      do throws(SystemError) { try socket.pendingError() } catch { throw .system(error) }
      var answer: [UInt8] = []
      if tls == nil { try send(request) } else { _ = try decrypt([], into: &answer) }
      var reader = ResponseReader()
      reader.expect(method)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var position = 0
      var head: ResponseHead?
      var body: [UInt8] = []
      while true {
        let count = try receive(&buffer)
        if tls == nil {
          answer.append(contentsOf: buffer[..<count])
        } else if try decrypt(Array(buffer[..<count]), into: &answer) {
          try sendSecurely(request)
        }
        do throws(ResponseError) {
          while let event = try count == 0 ? reader.finish() : reader.next(in: answer.span, at: &position) {
            switch event {
            case .interim: break
            case .head(let found): head = found
            case .body(let range): body.append(contentsOf: answer[range])
            case .end:
              if let head { return Reply(status: head.status.code, fields: head.fields, body: body) }
            }
          }
        } catch {
          throw .notHTTP
        }
        if count == 0 { throw .notHTTP }
      }
    }

    /// Returns true if this completed the handshake.
    private func decrypt(_ bytes: [UInt8], into answer: inout [UInt8]) throws(BenchError) -> Bool {
      guard let tls else { return false }
      var out: [UInt8] = []
      let isDone = try ClientTLS.run { () throws(TLSError) in
        try tls.receive(bytes.span, plaintext: &answer, ciphertextOut: &out).hasCompletedHandshake
      }
      try send(out)
      return isDone
    }

    private func sendSecurely(_ bytes: [UInt8]) throws(BenchError) {
      var out: [UInt8] = []
      try ClientTLS.run { () throws(TLSError) in try tls?.encrypt(bytes.span, into: &out) }
      try send(out)
    }

    private func send(_ bytes: [UInt8]) throws(BenchError) {
      var sent = 0
      while sent < bytes.count {
        switch socket.send(bytes.span.extracting(droppingFirst: sent)) {
        case .sent(let count): sent += count
        case .wouldBlock: try wait(.writable)
        case .failed(let error): throw .system(error)
        }
      }
    }

    /// Returns the number of received bytes; 0 at the end of the stream.
    private func receive(_ buffer: inout [UInt8]) throws(BenchError) -> Int {
      while true {
        switch socket.receive(into: &buffer) {
        case .received(let count): return count
        case .endOfStream: return 0
        case .wouldBlock: try wait(.readable)
        case .failed(let error): throw .system(error)
        }
      }
    }

    private func wait(_ readiness: SocketReadiness) throws(BenchError) {
      let left = max(.zero, deadline - .now())
      let isReady: Bool
      do throws(SystemError) {
        isReady = try socket.wait(until: readiness, atMost: left)
      } catch {
        throw .system(error)
      }
      guard isReady else { throw .timeout(target: target) }
    }
  }
}
