internal import HTTP
internal import WebSocket

/// The fuzz target for the fields of opening handshakes, as the server and the client check them.
enum Handshakes {
  /// Byte 0 of the input chooses the check; the remaining bytes are lines `name: value`.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let choice = reader.byte()
    let fields: [HandshakeField] = FieldLines.fields(reader.takeLines(isUTF8: choice & 1 != 0)).map {
      ($0.name, $0.value)
    }
    try checkRequest(fields, minorVersion: choice & 2 == 0 ? 1 : 0)
    try checkAnswer(fields, offersDeflate: choice & 4 == 0)
    for field in fields { try checkOffer(field.value) }
  }

  private static func checkRequest(_ fields: [HandshakeField], minorVersion: Int) throws {
    do {
      let request = try UpgradeRequest.evaluate(method: "GET", minorVersion: minorVersion, fields: fields)
      try expect(minorVersion == 1, "a WebSocket over HTTP/1.0")
      try expect(request.accept.utf8.count == 28, "the answer \(request.accept)")
      try expect(Set(request.subprotocols).count == request.subprotocols.count, "\(request.subprotocols)")
      let answer = request.responseFields(subprotocol: request.subprotocols.last)
      try expect(answer.allSatisfy { $0.value.utf8.allSatisfy { 0x20...0x7E ~= $0 } }, "\(answer)")
    } catch let error as UpgradeRequestError {
      try expect(400...499 ~= error.status && !error.reason.isEmpty, "\(error)")
      _ = error.responseFields
    }
  }

  private static func checkAnswer(_ fields: [HandshakeField], offersDeflate: Bool) throws {
    let attempt = UpgradeAttempt(
      subprotocols: ["drawtogether.v1", "x"], offersDeflate: offersDeflate,
      nonce: [UInt8](repeating: 7, count: 16))
    // The correct `Sec-WebSocket-Accept` is added, because no random input would contain it.
    let request = try UpgradeRequest.evaluate(method: "GET", minorVersion: 1, fields: attempt.requestFields)
    let accept: HandshakeField = ("Sec-WebSocket-Accept", request.accept)
    do {
      let agreement = try attempt.check(status: 101, fields: fields + [accept])
      try expect(agreement.deflate == nil || offersDeflate, "compression is accepted that was not offered")
      try expect(agreement.subprotocol.map(["drawtogether.v1", "x"].contains) ?? true, "\(agreement)")
      if let deflate = agreement.deflate { try check(deflate, least: 8) }
    } catch let error as UpgradeResponseError {
      try expect(!"\(error)".isEmpty, "no description")
    }
  }

  private static func checkOffer(_ value: String) throws {
    guard let parameters = DeflateParameters.negotiate(offers: [value]) else { return }
    try check(parameters, least: 9)
    // A client that offered no `client_max_window_bits` refuses a response with this parameter. `check(response:)` acts like such
    // a client here, so a response with the parameter is not passed to it.
    guard parameters.clientMaxWindowBits == nil else { return }
    let agreed = try DeflateParameters.check(response: [parameters.responseValue])
    try expect(
      agreed?.serverWindowBits == parameters.serverWindowBits, "\(parameters) became \(agreed as Any)")
  }

  private static func check(_ parameters: DeflateParameters, least: Int) throws {
    try expect(least...15 ~= parameters.windowBits(for: .server), "\(parameters)")
    try expect(8...15 ~= parameters.windowBits(for: .client), "\(parameters)")
  }
}
