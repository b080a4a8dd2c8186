import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// PROTOCOL 1: the page and the API over real connections, one at a time.
  @Suite("Requests over real sockets are answered as RFC 9110 and RFC 9112 require")
  struct PageTests {
    @Test(
      "PROTOCOL 1: the page's files are served over one connection, with http or https",
      arguments: [false, true])
    func pageFiles(isSecure: Bool) throws {
      let client = try HTTPClient(RunningGateway(), isSecure: isSecure)
      let page = try client.ask("GET", "/")
      #expect(page.status == 200)
      #expect(page.text == RunningGateway.page)
      let script = try client.ask("GET", "/js/main.js")
      #expect(script.text == RunningGateway.script)
      #expect(script.field("Content-Type")?.hasPrefix("text/javascript") == true)
      let tag = try #require(script.field("ETag"))
      let unchanged = try client.ask("GET", "/js/main.js", ["If-None-Match": tag])
      #expect(unchanged.status == 304)
      #expect(unchanged.body.isEmpty)
      let part = try client.ask("GET", "/js/main.js", ["Range": "bytes=0-5"])
      #expect(part.status == 206)
      #expect(part.text == "export")
      #expect(try client.ask("GET", "/js/none.js").status == 404)
    }

    @Test("P6: a large file arrives completely, even if it is read slowly", arguments: [false, true])
    func largeFile(isSecure: Bool) throws {
      let bytes = 6 << 20
      let client = try HTTPClient(RunningGateway(largeFileBytes: bytes), isSecure: isSecure, bodyLimit: bytes)
      try client.stream.send(client.head("GET", "/large.txt") + client.head("GET", "/healthz"))
      // The client reads nothing until the gateway cannot send more, because the socket's buffers are full.
      let metrics = try Metrics(of: client.stream.gateway)
      var before = 0
      try metrics.wait(for: "a full socket") { values in
        let sent = values["sent_bytes_total"] ?? 0
        defer { before = sent }
        // If the number of sent bytes grew by less than 60,000 since the previous check, the gateway sent only responses of
        // `/metrics`. So the large file waits for the client.
        return sent > 100_000 && sent - before < 60_000
      }
      #expect(try client.response().body == RunningGateway.largeFile(bytes: bytes))
      #expect(try client.response().text == "{\"status\":\"alive\"}\n")
    }

    @Test(
      "RFC 9112 §9.6: a client that has half-closed its connection still gets its responses",
      arguments: [1, 2])
    func halfClosed(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let session = try gateway.makeSession(on: reactors - 1)
      let client = try HTTPClient.on(reactor: 0, of: gateway, reactors: reactors)
      try client.stream.send(
        client.head("GET", "/healthz") + client.head("GET", "/api/sessions/\(session.text)"))
      try client.stream.endWriting()
      #expect(try client.response().text == "{\"status\":\"alive\"}\n")
      #expect(try client.response().text.contains(session.text))
      try client.stream.drainToEnd()
    }

    @Test(
      "RFC 9110 §9.3.2: the response to HEAD has the fields of GET and no body", arguments: [false, true])
    func head(isSecure: Bool) throws {
      let client = try HTTPClient(RunningGateway(), isSecure: isSecure)
      let head = try client.ask("HEAD", "/")
      #expect(head.status == 200)
      #expect(head.field("Content-Length") == "\(RunningGateway.page.utf8.count)")
      #expect(head.body.isEmpty)
      // If the response to HEAD had a body, the client would parse the body as the beginning of the next response.
      #expect(try client.ask("GET", "/healthz").text == "{\"status\":\"alive\"}\n")
    }

    @Test("RFC 9112 §9.3.2: pipelined requests are answered in their order", arguments: [false, true])
    func pipelining(isSecure: Bool) throws {
      let client = try HTTPClient(RunningGateway(), isSecure: isSecure)
      let paths = (0..<50).map { ["/healthz", "/", "/js/main.js", "/api/limits", "/none"][$0 % 5] }
      try client.stream.send(paths.flatMap { client.head("GET", $0) })
      for path in paths {
        let answer = try client.response()
        #expect(answer.status == (path == "/none" ? 404 : 200))
        switch path {
        case "/": #expect(answer.text == RunningGateway.page)
        case "/js/main.js": #expect(answer.text == RunningGateway.script)
        case "/healthz": #expect(answer.text == "{\"status\":\"alive\"}\n")
        default: break
        }
      }
    }

    @Test(
      "The response to a malformed request head arrives, although the client continues to send",
      arguments: [false, true])
    func refusedHead(isSecure: Bool) throws {
      let client = try HTTPClient(RunningGateway(), isSecure: isSecure)
      try client.stream.send(
        Array("GET / HTTP/1.1\r\nHost : x\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 100_000))
      let answer = try client.response()
      #expect(answer.status == 400)
      #expect(answer.field("Content-Type") == "application/problem+json")
      #expect(answer.field("Connection") == "close")
      try client.stream.drainToEnd()
    }

    @Test("P6: a head that is longer than `headBytes` is answered with 431", arguments: [false, true])
    func headTooLarge(isSecure: Bool) throws {
      let client = try HTTPClient(
        RunningGateway { $0.limits.headBytes = 4096 }, isSecure: isSecure)
      try client.stream.send(client.head("GET", "/", ["X": String(repeating: "x", count: 8000)]))
      #expect(try client.response().status == 431)
      try client.stream.drainToEnd()
    }

    @Test(
      "RFC 9110 §10.1.1: if the request asks for it, the gateway sends `100 Continue` before it reads the body",
      arguments: [false, true])
    func expectContinue(isSecure: Bool) throws {
      let client = try HTTPClient(RunningGateway(), isSecure: isSecure)
      let body = Array(#"{"activity": {"title": "Ours"}}"#.utf8)
      try client.stream.send(
        client.head("POST", "/api/sessions", ["Expect": "100-continue", "Content-Length": "\(body.count)"]))
      let deadline = TestTimeout.deadline
      while client.stream.unread.isEmpty { try client.stream.receiveMore(by: deadline) }
      #expect(String(decoding: client.stream.unread, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
      try client.stream.send(body)
      let answer = try client.response()
      #expect(answer.interim == [100])
      #expect(answer.status == 201)
      #expect(answer.text.contains(#""title":"Ours""#))
    }

    @Test(
      "RFC 9110 §10.1.1: a refused request gets no `100 Continue`, and the gateway does not wait for its body"
    )
    func expectRefused() throws {
      let client = try HTTPClient(RunningGateway())
      try client.stream.send(
        client.head(
          "POST", "/api/sessions",
          ["Expect": "100-continue", "Content-Length": "5", "Origin": "https://elsewhere.example"]))
      let answer = try client.response()
      #expect(answer.interim == [])
      #expect(answer.status == 403)
      #expect(answer.text.contains("origin-refused"))
    }

    @Test(
      "RFC 9112 §7.1: a chunked body is read, whether it arrives in one piece or byte by byte",
      arguments: [false, true])
    func chunks(byByte: Bool) throws {
      let client = try HTTPClient(RunningGateway())
      let request =
        client.head("POST", "/api/sessions", ["Transfer-Encoding": "chunked"])
        + Array("d;x=y\r\n{\"activity\": \r\n14\r\n{\"title\": \"Pieces\"}}\r\n0\r\nTrailer: t\r\n\r\n".utf8)
        + client.head("GET", "/healthz")
      for piece in byByte ? request.map({ [$0] }) : [request] { try client.stream.send(piece) }
      let answer = try client.response()
      #expect(answer.status == 201)
      #expect(answer.text.contains(#""title":"Pieces""#))
      #expect(try client.response().text == "{\"status\":\"alive\"}\n")
    }

    @Test(
      "While a client still sends a body above the limit, it gets a 413 response, which states the size of the body"
    )
    func bodyTooLarge() throws {
      let client = try HTTPClient(RunningGateway())
      try client.stream.send(
        client.head("POST", "/api/sessions", ["Content-Length": "10000000"])
          + [UInt8](repeating: 0x20, count: 100_000))
      let answer = try client.response()
      #expect(answer.status == 413)
      #expect(answer.text.contains(#""actual":10000000"#))
      try client.stream.drainToEnd()
    }

    @Test("A plain-text HTTP request to the TLS port gets a plain-text answer with the https address")
    func plainTextOnTLSPort() throws {
      let gateway = try RunningGateway()
      let stream = try ByteStream(to: gateway, isSecure: true, shakesHands: false)
      try stream.sendRaw(Array("GET / HTTP/1.1\r\nHost: gateway.example:8443\r\n\r\n".utf8))
      let deadline = TestTimeout.deadline
      do {
        while true { try stream.receiveMore(by: deadline) }
      } catch ClientError.streamEnded {
      }
      let text = String(decoding: stream.unread, as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(text.contains("https://gateway.example:8443/"))
    }
  }
}
