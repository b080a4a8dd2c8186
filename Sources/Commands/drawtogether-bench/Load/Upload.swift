internal import CLinux
internal import HTTP
internal import Networking
internal import Platform

/// The upload of a file by HTTP in one request, on a socket of the generator's epoll. Uploads run one after the other.
final class Upload {
  /// The first epoll token of uploads.
  static let firstToken: UInt64 = 1 << 32
  private static let block = [UInt8](repeating: 0x5A, count: 65_536)

  private let descriptor: CInt
  private let tls: TLSConnection?
  private let target: String
  private let size: Int
  private var outgoing: [UInt8] = []
  private var sent = 0
  /// The number of body bytes that are not yet in `outgoing`.
  private var left: Int
  private var reader = ResponseReader()
  private var answer: [UInt8] = []
  private var position = 0
  /// The status of the answer.
  private(set) var status: Int?

  /// Starts to connect. The request is sent when the connection is established.
  init(_ generator: Generator, target: String, size: Int) throws(BenchError) {
    self.target = target
    self.size = size
    left = size
    tls = generator.clientTLS?.makeConnection(to: generator.server.bareHost)
    do throws(SystemError) {
      let owned = try Socket.connect(to: generator.address)
      descriptor = owned.release()
    } catch {
      throw .system(error)
    }
    reader.expect(.post)
    let head = RequestHead(
      .post, target,
      fields: [
        "Host": generator.server.authority, "Content-Length": "\(size)", "Connection": "close",
        "Content-Type": "application/octet-stream",
        "Content-Disposition": "attachment; filename=\"bench\(generator.uploads.count)\"",
      ])
    guard let head else { preconditionFailure("\(target) is not a valid request target") }
    var request: [UInt8] = []
    head.append(to: &request)
    if let tls {
      var ignored: [UInt8] = []
      _ = try ClientTLS.run { () throws(TLSError) in
        try tls.receive([UInt8]().span, plaintext: &ignored, ciphertextOut: &outgoing)
      }
      waitingRequest = request
    } else {
      outgoing = request
    }
    let token = Self.firstToken + UInt64(generator.uploads.count)
    let code = clinux_epoll_add(generator.epoll.rawValue, descriptor, token)
    guard code >= 0 else { throw .system(SystemError("epoll_ctl", code: -code)) }
  }

  /// The request while it waits for the TLS handshake.
  private var waitingRequest: [UInt8] = []

  deinit {
    _ = OwnedDescriptor(owning: descriptor)
  }

  /// Handles an event of the socket.
  func handle(_ events: UInt32) throws(BenchError) {
    guard status == nil else { return }
    if events & (clinux_readable | clinux_hung_up) != 0 { try receive() }
    try sendMore()
  }

  private func sendMore() throws(BenchError) {
    while status == nil {
      while sent < outgoing.count {
        switch Socket(descriptor).send(outgoing.span.extracting(droppingFirst: sent)) {
        case .sent(let count): sent += count
        case .wouldBlock: return
        // A failed send is not reported: the server's answer may have arrived already, and it explains the failure.
        case .failed: return
        }
      }
      outgoing.removeAll(keepingCapacity: true)
      sent = 0
      guard left > 0, waitingRequest.isEmpty else { return }
      let count = min(left, Self.block.count)
      left -= count
      try put(Self.block, first: count)
    }
  }

  private func put(_ bytes: [UInt8], first count: Int) throws(BenchError) {
    guard let tls else {
      outgoing.append(contentsOf: bytes[..<count])
      return
    }
    try ClientTLS.run { () throws(TLSError) in
      try tls.encrypt(bytes.span.extracting(first: count), into: &outgoing)
    }
  }

  private func receive() throws(BenchError) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while status == nil {
      switch Socket(descriptor).receive(into: &buffer) {
      case .received(let count): try take(Array(buffer[..<count]))
      case .wouldBlock: return
      case .endOfStream, .failed: throw .noAnswer(target: "POST \(target)")
      }
    }
  }

  private func take(_ bytes: [UInt8]) throws(BenchError) {
    if let tls {
      let isDone = try ClientTLS.run { () throws(TLSError) in
        try tls.receive(bytes.span, plaintext: &answer, ciphertextOut: &outgoing).hasCompletedHandshake
      }
      if isDone {
        let request = waitingRequest
        waitingRequest = []
        try put(request, first: request.count)
      }
    } else {
      answer.append(contentsOf: bytes)
    }
    do throws(MessageError) {
      let answer = answer
      while let event = try reader.next(in: answer.span, at: &position) {
        if case .head(let head) = event { status = head.status.code }
      }
    } catch {
      throw .notHTTP
    }
  }
}
