import FoundationEssentials
import Wire

import Primitives
@testable import SessionCore

/// Attachments in a simulation: they are added, uploaded, finished and removed. Clients also
/// use the keys of attachments for their own entries.
extension Simulation {
  /// Changes a random attachment, as the gateway would change it.
  func changeJournal() throws {
    let key = EntryKey(high: 7, low: UInt64(random.below(4)))
    guard var item = attachments[key] else { return try addAttachment(key) }
    let id = key.uuid
    switch (item.phase, random.below(100)) {
    case (.uploading, 0..<60):
      item.offset = min(item.offset + 1 + random.below(40), item.size ?? .max)
      session.uploadMoved(id, to: UInt64(item.offset), now: now)
    case (.uploading, 60..<68):
      item.offset = min(item.offset + random.below(3), item.size ?? .max)
      session.uploadPaused(id, at: UInt64(item.offset), now: now)
      if item.announced != item.offset || item.told != item.offset { try told(&item) }
    case (.uploading, 68..<74):
      item.offset = 0
      item.size = random.chance(50) ? 100 : nil
      try session.restartUpload(id, size: item.size.map(UInt64.init), now: now)
      try told(&item)
    case (.uploading, 74..<90):
      let digest = Self.digest(item.offset)
      let isKnown = attachments.values.contains { $0.digest == digest }
      item.digest = digest
      files[item.file]?.digest = digest
      item.size = item.offset
      item.phase = .stored
      let placement = session.storeContent(id, digest: item.digest ?? "", size: UInt64(item.offset))
      try require(placement == (isKnown ? .duplicate : .first), "\(item) was placed as \(placement as Any)")
    case (.stored, 0..<60):
      item.phase = .ready
      try require(session.finishAttachment(id, now: now)?.state == .ready, "\(item) is not ready")
      try told(&item)
    case (_, 90..<100):
      return try removeAttachment(key)
    default: break
    }
    attachments[key] = item
  }

  private func addAttachment(_ key: EntryKey) throws {
    let participant = clients[random.below(clients.count)].number
    var item = ModelAttachment(key: key, participant: participant, size: random.chance(50) ? 100 : nil)
    nextFile += 1
    item.file = EntryKey(high: 99, low: nextFile).uuid
    let isResumable = random.chance(50)
    let text = Array(#"{"location":[1,-2.5]}"#.utf8)
    let draft = AttachmentDraft(
      id: key.uuid, file: item.file, name: "n", contentType: "image/png", size: item.size.map(UInt64.init),
      metadata: try AttachmentMetadata.parse(text.span, limit: 100), participant: item.participant,
      isResumable: isResumable, uploadMetadata: "u \(nextFile)")
    let fits = oracle.fits(key, item.payload(session: session.id))
    do throws(Refusal) {
      try session.addAttachment(draft, now: now, date: Date(timeIntervalSince1970: 0))
    } catch {
      return try require(
        !fits && error.code == .sessionQuota, "an attachment that fits was refused: \(error)")
    }
    try require(
      fits, "an attachment that does not fit was accepted, with \(session.retainedBytes) retained bytes")
    try told(&item)
    files[item.file] = UploadedFile(
      key: key, addedAt: session.sequence, isResumable: isResumable, uploadMetadata: draft.uploadMetadata)
    attachments[key] = item
  }

  /// Returns the digest for a number of bytes.
  static func digest(_ count: Int) -> String {
    let digits = String(count, radix: 16)
    return String(repeating: "0", count: 64 - digits.utf8.count) + digits
  }

  func removeAttachment(_ key: EntryKey) throws {
    guard let item = attachments.removeValue(forKey: key) else { return }
    let isShared = attachments.values.contains { $0.digest == item.digest }
    let expected = RemovedAttachment(
      id: key.uuid, wasUploading: item.phase != .ready, orphanedDigest: isShared ? nil : item.digest)
    let removed = session.removeAttachment(key.uuid, now: now)
    try require(removed == expected, "removed \(removed as Any), not \(expected)")
    try oracle.noteAttachment(key, nil, sequence: session.sequence)
  }

  /// Records the announcement of an attachment.
  func told(_ item: inout ModelAttachment) throws {
    item.told = item.offset
    item.announced = item.offset
    try oracle.noteAttachment(item.key, item.payload(session: session.id), sequence: session.sequence)
  }

  /// Announces the offsets of uploads to the participants whose catch-up is in progress, and records the announcements in the
  /// model.
  func announceOffsets() throws {
    let outdated = session.catchingUp.isEmpty ? [] : session.journal.unannouncedOffsets
    let expected = attachments.values.filter { $0.phase == .uploading && $0.announced != $0.offset }
    try require(
      session.catchingUp.isEmpty || Set(outdated.map(\.id)) == Set(expected.map(\.key.uuid)),
      "\(outdated) have unannounced offsets, not \(expected)")
    session.announceOffsets(now: now)
    for (place, item) in outdated.enumerated() {
      guard var model = attachments[EntryKey(item.id)] else { continue }
      model.told = model.offset
      model.announced = model.offset
      attachments[model.key] = model
      try oracle.noteAttachment(
        model.key, model.payload(session: session.id),
        sequence: session.sequence - UInt64(outdated.count - 1 - place))
    }
  }

  /// Checks the turn's unreliable frames: the progress of each upload is correct, and is sent at most four times a second.
  func checkProgress(_ frames: [UInt8]) throws {
    var stream = FrameStream()
    stream.append(frames)
    while let message = try stream.next() {
      guard case .entries(let entries) = message else { continue }
      for entry in entries where entry.typeText == "attachmentProgress" {
        let progress = try AttachmentProgressPayload.decode(entry.payload.span)
        let key = EntryKey(progress.id)
        guard var item = attachments[key], item.phase == .uploading, Int(progress.offset) == item.offset,
          progress.size.map(Int.init) == item.size
        else { throw Violation("\(progress) was sent, but the attachment is \(attachments[key] as Any)") }
        try require(
          item.toldAt.map { $0.adding(milliseconds: 250) <= now } ?? true,
          "\(progress) was sent at \(item.toldAt as Any), and again at \(now)")
        item.told = item.offset
        item.toldAt = now
        attachments[key] = item
      }
    }
  }

  /// True if only attachments are retained, so that clients cannot make room for a refused entry.
  var isFullOfAttachments: Bool {
    !attachments.isEmpty && clients.contains { $0.isQuotaRefused }
      && oracle.state(at: oracle.sequence).keys.allSatisfy(\.isSystem)
  }

  func removeOneAttachment() throws {
    guard let key = attachments.keys.min(by: { $0.low < $1.low }) else { return }
    try removeAttachment(key)
  }

  /// Pauses all uploads that are in progress.
  /// - Returns: false if no upload was in progress.
  func pauseUploads() throws -> Bool {
    var any = false
    for key in attachments.keys.sorted(by: { $0.low < $1.low }) {
      guard var item = attachments[key], item.phase == .uploading, !item.isPaused else { continue }
      try require(item.told == item.offset, "the last progress of \(item) was never sent")
      item.isPaused = true
      session.uploadPaused(key.uuid, at: UInt64(item.offset), now: now)
      if item.announced != item.offset { try told(&item) }
      attachments[key] = item
      any = true
    }
    return any
  }

  /// Checks that all clients have the same attachments as the session, at the same offsets.
  func checkAttachments() throws {
    var expected: [EntryKey: AttachmentObject] = [:]
    for object in session.attachmentObjects { expected[EntryKey(object.id)] = object }
    try require(Set(expected.keys) == Set(attachments.keys), "\(expected), not \(attachments)")
    for client in clients where !client.hasLeft {
      for (key, item) in attachments where item.phase != .stored {
        try require(
          client.attachments[key] == expected[key],
          "P3: \(client.name) knows \(client.attachments[key] as Any), not \(expected[key] as Any)")
      }
      try require(
        Set(client.attachments.keys) == Set(expected.keys),
        "P3: \(client.name) knows \(client.attachments), not \(expected)")
    }
  }
}
