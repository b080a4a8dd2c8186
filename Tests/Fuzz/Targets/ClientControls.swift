internal import FoundationEssentials
internal import Wire

/// The fuzz target for control messages of clients, and for other texts that clients choose and all participants get.
enum ClientControls {
  static func check(_ input: [UInt8]) throws {
    // If the input is refused, `try?` returns nil, and there is nothing to check.
    if let control = try? ClientControl.decode(input.span) { try check(control) }
    if let request = try? ActivityRequest.decode(input.span) { try check(request) }
    if let metadata = try? AttachmentMetadata.parse(input.span, limit: 4_096) { try check(metadata) }
    if let text = String(validating: input, as: UTF8.self) { try check(text) }
  }

  private static func check(_ control: ClientControl) throws {
    let written = control.encoded()
    // The encoder may escape more characters than the input did, so the encoded message may exceed the limit.
    guard written.count <= ClientControl.maximumLength else { return }
    let again = try ClientControl.decode(written.span)
    try expect(again.encoded() == written && again == control, "\(control) became \(again)")
    switch control {
    case .join(let join):
      try check(join.profile)
      try expect(join.resume?.next != 0, "the next client sequence is 0")
    case .wait(let profile), .profile(let profile):
      try check(profile)
    case .activity(let change):
      try check(Activity.standard.applying(change))
    case .leave, .end:
      break
    }
  }

  private static func check(_ request: ActivityRequest) throws {
    let again = try ActivityRequest.decode(WireJSON.encode(request).span)
    try expect(WireJSON.encode(again) == WireJSON.encode(request), "\(request) became \(again)")
    try check(request.activity)
  }

  /// Checks that an activity of a client can be sent in every message that contains activities.
  private static func check(_ activity: Activity) throws {
    try activity.validate()
    let payload = ActivityPayload(activity: activity, by: 1)
    try GatewayControls.expectSame(try ActivityPayload.decode(payload.encoded().span), payload)
    let session = SessionObject(
      id: SessionID(high: 1, low: 2), link: "/s/x", activity: activity,
      createdAt: Date(timeIntervalSince1970: 0),
      participants: 1, sequence: 1)
    let joined = GatewayControl.joined(
      Joined(
        participant: Participant(id: EntryKey.zero.uuid, number: 1, name: "A", color: "#000000"),
        token: Token(high: 1, low: 2), epoch: "e", sequence: 1, committed: 1, acknowledged: 0, resumed: false,
        session: session, limits: Limits()))
    try GatewayControls.expectSame(try GatewayControl.decode(joined.encoded().span), joined)
  }

  private static func check(_ profile: Profile) throws {
    let kept = profile.sanitised
    try expect(kept.sanitised == kept, "sanitising \(kept) again changes it")
    if let name = kept.name {
      try expect(1...64 ~= name.unicodeScalars.count && name.utf8.count <= 256, "the name '\(name)'")
      try expect(
        name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "the name '\(name)'")
    }
    if let color = kept.color {
      try expect(color.utf8.count == 7 && color.utf8.first == 0x23, "the color '\(color)'")
    }
  }

  private static func check(_ metadata: AttachmentMetadata) throws {
    let object = AttachmentObject(
      id: EntryKey.zero.uuid, name: "a", contentType: "b", size: nil, sha256: nil, metadata: metadata,
      participant: nil, state: .uploading, offset: 0, createdAt: Date(timeIntervalSince1970: 0), url: "/")
    let list = WireJSON.encode(AttachmentList([object]))
    try expect(JSONTexts.parsed(list, depth: 1) != nil, "the list is not valid JSON with this metadata")
    // Foundation rejects the valid numbers `0e3` and `1e-999`.
    let digitsAndNext = zip(metadata.text, metadata.text.dropFirst())
    guard !digitsAndNext.contains(where: { 0x30...0x39 ~= $0 && $1 | 0x20 == 0x65 }) else { return }
    let again = try WireJSON.decode(AttachmentList.self, from: list.span)
    try expect(again.attachments.count == 1, "a list of \(again.attachments.count)")
  }

  private static func check(_ text: String) throws {
    let name = AttachmentName.sanitised(text)
    try expect(
      1...255 ~= name.unicodeScalars.count && AttachmentName.sanitised(name) == name, "the name '\(name)'")
    try check(Profile(name: text, color: text))
    var reason = CloseReason.sessionFull(limit: 7)
    reason.detail = text
    let bytes = reason.payloadReason()
    try expect(bytes.count <= CloseReason.maximumReasonLength, "a reason of \(bytes.count) bytes")
    try expect(
      JSONTexts.parsed(bytes, depth: 1) != nil, "the reason \(String(decoding: bytes, as: UTF8.self))")
    if let id = SessionID(text) { try expect(id.text.utf8.elementsEqual(text.utf8), "\(text) is \(id.text)") }
    if let token = Token(text) {
      try expect(
        token.text.utf8.elementsEqual(text.utf8), "a token is parsed from \(text), but is written differently"
      )
    }
  }
}
