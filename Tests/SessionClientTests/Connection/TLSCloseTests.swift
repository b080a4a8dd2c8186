import FoundationEssentials
import Testing
import Networking
import Platform
import WebSocket
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// The end of TLS connections.
  @Suite("RFC 8446 §6.1: the client ends TLS connections with close_notify")
  struct TLSCloseTests {
    /// The gateway's answer to the upgrade request.
    enum Answer: CaseIterable {
      case refusal
      case closeFrame

      func bytes(to head: [UInt8]) throws -> [UInt8] {
        switch self {
        case .refusal: return Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8)
        case .closeFrame:
          var bytes = try ScriptedServer.agreement(to: head) + ScriptedServer.welcome
          FrameWriter.appendClose(ClosePayload(code: CloseCode(rawValue: 4004)), to: &bytes)
          return bytes
        }
      }
    }

    @Test(
      "RFC 8446 §6.1: the client sends close_notify after a refused upgrade and after a close frame",
      arguments: Answer.allCases)
    func closeNotify(_ answer: Answer) throws {
      let gateway = try LocalGateway()
      let context = try TLSServerContext(
        certificatePath: gateway.certificates, keyPath: gateway.folder + "/data/tls-key.pem")
      let hasClosed = Guarded(false)
      let server = try ScriptedServer { _, stream in
        let tls = context.makeConnection()
        var head: [UInt8] = []
        var isAnswered = false
        while true {
          var out: [UInt8] = []
          let received = try stream.receive()
          let progress = try tls.receive(received.span, plaintext: &head, ciphertextOut: &out)
          if progress.hasPeerClosed { return hasClosed.withLock { $0 = true } }
          if !isAnswered, String(decoding: head, as: UTF8.self).hasSuffix("\r\n\r\n") {
            isAnswered = true
            let bytes = try answer.bytes(to: head)
            try tls.encrypt(bytes.span, into: &out)
          }
          try stream.send(out)
        }
      }
      defer { server.stop() }
      let address = try LocalGateway.address(
        of: server.address, isSecure: true, certificates: gateway.certificates)
      let ada = try TestMember(SessionID(high: 1, low: 2), at: address, waits: false)
      try TestTimeout.block(until: "the close_notify") { hasClosed.withLock { $0 } }
      ada.membership.leave()
    }
  }
}
