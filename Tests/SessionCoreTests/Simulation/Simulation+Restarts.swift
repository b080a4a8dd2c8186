import FoundationEssentials
import Wire

import Primitives
@testable import SessionCore

/// Operations on a session that is stored in a file: saves, compactions, clean stops, failures of the disk, and crashes at any
/// point of these operations.
extension Simulation {
  /// Performs a random operation on the file.
  func changeDisk() throws {
    guard disk != nil else { return }
    switch random.below(100) {
    case 0..<20: try save(failing: random.chance(25))
    case 20..<32: try compact()
    case 32: try crash()
    case 33: if random.chance(50) { try stop() }
    case 34..<37: try checkCut()
    default: break
    }
    oracle.noteSystemEntries(upTo: session.sequence)
  }

  /// Begins a save. If a save is in progress, ends it instead, and reports the result to the session.
  private func save(failing: Bool) throws {
    guard let unsaved = disk?.underWay else {
      disk?.underWay = session.takeUnsaved(upTo: random.chance(50) ? 1_000 : SessionRecord.runBytes)
      return
    }
    disk?.underWay = nil
    if failing {
      session.didNotSave(unsaved, isFull: random.chance(50), now: now)
    } else {
      disk?.append(unsaved.records)
      session.didSave(unsaved, now: now)
    }
  }

  /// Saves all changes of the session that are not in the file yet.
  func saveAll() throws {
    guard disk != nil else { return }
    for _ in 0..<1_000 where session.hasUnsaved || disk?.underWay != nil { try save(failing: false) }
    try require(!session.hasUnsaved, "some records are never saved")
    oracle.noteSystemEntries(upTo: session.sequence)
  }

  private func compact() throws {
    guard var compaction = disk?.compaction else {
      guard session.log.droppedThrough > 0, session.committed > session.log.droppedThrough else { return }
      if random.chance(50) { disk?.compaction = SimulatedDisk.Compaction(plan: session.beginCompaction()) }
      return
    }
    if let after = compaction.after {
      let slice = session.compactionSlice(after: after, through: compaction.plan.through)
      if let slice { compaction.slices.append(slice.record) }
      compaction.after = slice?.last
      disk?.compaction = compaction
    } else if session.isCompactionCovered {
      try disk?.compact()
      try checkCompaction()
    }
  }

  /// Checks that the compacted file restores the same session as all records that were ever written.
  private func checkCompaction() throws {
    try saveAll()
    guard let disk else { return }
    let (compacted, whole) = Fingerprint.both(
      try restore(disk.records, generation: "", epoch: "e").takeSession(),
      try restore(disk.history, generation: "", epoch: "e").takeSession())
    try require(
      compacted == whole, "the compacted file restores another session: \(compacted.differences(from: whole))"
    )
  }

  /// Checks that each prefix of the file restores the state that its records describe.
  private func checkCut() throws {
    guard let disk else { return }
    let records = Array(disk.history.prefix(1 + random.below(disk.history.count)))
    let session = try restore(records, generation: "", epoch: "cut").takeSession()
    let expected = Set(oracle.state(at: session.committed).values.joined())
    let held = Set(Fingerprint(session).held.keys)
    try require(held == expected, "P4: \(records.count) records restore \(held), not \(expected)")
    for (number, record) in session.participants.states {
      let own = oracle.log.filter { $0.sender == number && $0.isKnown }
      let kept = own.last { $0.sequence <= session.committed }?.clientSequence ?? 0
      let next = own.first { $0.sequence > session.committed }?.clientSequence ?? .max
      try require(
        kept <= record.acknowledged && record.acknowledged < next,
        "P2: \(number) is acknowledged up to \(record.acknowledged), not to at least \(kept) and less than \(next)"
      )
    }
  }

  /// Crashes the gateway. Only a random part of the batch that was being written has reached the file.
  private func crash() throws {
    guard var disk else { return }
    if let torn = disk.underWay?.records { disk.append(torn.prefix(random.below(torn.count + 1))) }
    disk.crashes += 1
    self.disk = disk
    try restart(generation: "g\(disk.crashes)", isClean: false)
  }

  /// Stops the gateway cleanly.
  private func stop() throws {
    cutAll()
    try endTurn()
    try saveAll()
    let date = Date(timeIntervalSince1970: 0)
    disk?.append([session.closedRecord(generation: "stopped", now: now, date: date)])
    try restart(generation: "stopped", isClean: true)
  }

  private func cutAll() {
    for client in clients { cut(client) }
    noticeCuts()
  }

  private func restart(generation: String, isClean: Bool) throws {
    let epoch = "\(session.epoch)'"
    let old = (epoch: session.epoch, committed: session.committed)
    cutAll()
    sockets = [:]
    expectedRefusals = [:]
    guard let records = disk?.records else { return }
    disk?.underWay = nil
    disk?.compaction = nil
    let restored = try restore(records, generation: generation, epoch: epoch)
    session = restored.takeSession()
    session.presence.participantsPerEntry = peoplePerEntry
    session.compressor = withoutZeros
    try require(restored.isClean == isClean, "the wrong value of `isClean` was restored: \(restored.isClean)")
    try require(
      session.epoch == (isClean ? old.epoch : epoch),
      "the session continues in the wrong epoch \(session.epoch)")
    try require(
      session.committed >= old.committed,
      "P4: \(old.committed) was committed, but only \(session.committed) was restored")
    try oracle.restart(
      old.epoch, at: session.committed, acknowledged: session.participants.states.mapValues(\.acknowledged),
      highestNumber: session.participants.nextNumber - 1, now: now)
    oracle.noteSystemEntries(upTo: session.sequence)
    for client in clients {
      client.isForgotten = client.number.map { session.participants[$0] == nil } ?? false
    }
    try checkPeople()
    title = try disk?.said(.session, as: SaidSession.self).last?.activity.title ?? ""
    try adoptJournal(restored)
    if random.chance(80) {
      disk?.append(session.openingRecords())
      session.didSaveOpening()
    } else {
      try saveAll()
    }
  }

  func restore(_ records: [SessionRecord], generation: String, epoch: String) throws -> RestoredSession {
    var restorer = SessionRestorer(
      id: session.id, limits: limits, digest: { TokenDigest(high: $0.high, low: $0.low) }, now: now,
      date: Date(timeIntervalSince1970: 0))
    for record in records { try restorer.apply(record.kind.rawValue, record.body.span) }
    return try restorer.finish(generation: generation, freshEpoch: epoch)
  }

  /// Checks after a restart that exactly the participants with an `active` record are active. Their grace time then begins again.
  private func checkPeople() throws {
    var last: [ParticipantNumber: SaidParticipant] = [:]
    for said in try disk?.said(.participant, as: SaidParticipant.self) ?? [] { last[said.number] = said }
    here = last.filter { $0.value.presence == "active" }.mapValues(\.name)
    away = here.mapValues { _ in now.adding(seconds: limits.graceSeconds) }
    try require(
      session.activeParticipantCount == here.count,
      "\(session.activeParticipantCount) participants are active, not \(here)")
  }

  /// Compares the restored attachments with the entries and records on disk. Then continues their uploads as the gateway does.
  private func adoptJournal(_ restored: RestoredSession) throws {
    attachments = [:]
    files = files.filter { $0.value.addedAt <= session.committed }
    for entry in oracle.log where entry.isKnown && entry.flags.contains(.system) {
      if entry.flags.retention == .remove {
        attachments[entry.key] = nil
      } else {
        let object = try AttachmentObject.decode(entry.payload.span)
        attachments[entry.key] = ModelAttachment(object, attachments[entry.key])
      }
    }
    let said = try disk?.said(.upload, as: SaidUpload.self) ?? []
    for key in attachments.keys {
      let latest = files.filter { $0.value.key == key }.max { $0.value.addedAt < $1.value.addedAt }
      guard let (file, known) = latest, var item = attachments[key], let found = session.attachment(key.uuid)
      else { throw Violation("attachment \(key) has no file, or is not in the session") }
      item.file = file
      let digest = said.last { $0.file == file && $0.digest != nil }?.digest
      if item.phase == .uploading, let digest {
        item.phase = .stored
        item.digest = digest
        item.size = Int(digest, radix: 16)
        item.offset = item.size ?? 0
      }
      attachments[key] = item
      try require(
        found.isResumable == known.isResumable && found.uploadMetadata == known.uploadMetadata,
        "\(found) was restored from \(known)")
      let upload = RestoredUpload(
        id: key.uuid, file: file, isResumable: known.isResumable, size: item.size.map(UInt64.init),
        digest: item.phase == .stored ? item.digest : nil)
      try require(
        restored.uploads.filter { $0.id == key.uuid } == (item.phase == .ready ? [] : [upload]),
        "\(restored.uploads) instead of \(upload)")
    }
    try require(
      restored.uploads.count == attachments.values.filter { $0.phase != .ready }.count,
      "too many uploads were restored")
    let digests = Set(attachments.values.compactMap(\.digest))
    try require(restored.contents == digests, "the contents \(restored.contents) are kept, not \(digests)")
    try goOn(restored.uploads)
  }

  /// Continues or removes each unfinished upload as the gateway does. A resumable upload continues at a random offset.
  private func goOn(_ uploads: [RestoredUpload]) throws {
    for upload in uploads where upload.digest == nil {
      let key = EntryKey(upload.id)
      guard var item = attachments[key] else {
        throw Violation("attachment \(key) is not in the model")
      }
      let offset = upload.isResumable ? min(item.offset + random.below(20), item.size ?? .max) : item.offset
      switch upload.action(received: UInt64(offset), isPlaced: false) {
      case .finish: throw Violation("an upload without a digest is finished")
      case .remove: try removeAttachment(key)
      case .resume, .place:
        item.offset = offset
        session.uploadFound(upload.id, holding: UInt64(offset), now: now)
        if item.announced != offset { try told(&item) }
        attachments[key] = item
      }
    }
  }
}

extension ModelAttachment {
  /// Creates the model of an attachment from the object in an entry.
  init(_ object: AttachmentObject, _ before: ModelAttachment?) {
    self.init(key: EntryKey(object.id), participant: object.participant, size: object.size.map(Int.init))
    offset = Int(object.offset)
    announced = offset
    told = offset
    phase = object.state == .ready ? .ready : .uploading
    digest = object.sha256
  }
}
