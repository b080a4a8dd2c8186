import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// PROTOCOL 4: how the progress of uploads is announced, and when an upload without progress expires.
@Suite("PROTOCOL 4: the progress of uploads")
struct UploadProgressTests {
  /// Ends a turn like the gateway: sends the tail, then the unreliable frames.
  private func turn(_ fixture: Fixture, _ client: TestClient) throws {
    guard fixture.session.needsTurn else { return }
    fixture.session.endTurn(now: fixture.now)
    try client.read()
    if fixture.session.isAtTail(client.subscriber) { try client.take(fixture.session.unreliableFrames) }
  }

  @Test("S48 an upload's progress is sent at most four times a second, and its last progress is always sent")
  func rate() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 10_000)
    try turn(fixture, ada)
    var toldAt: [MonotonicTime] = []
    for step in 1...200 {
      fixture.session.uploadMoved(id, to: UInt64(step * 50), now: fixture.now)
      let before = ada.progress.count
      try turn(fixture, ada)
      if ada.progress.count > before { toldAt.append(fixture.now) }
      if step < 200 { fixture.pass(milliseconds: 10) }
    }
    #expect(toldAt == (0..<8).map { MonotonicTime.zero.adding(milliseconds: 250 * $0) })
    #expect(ada.progress.last == 8_800)
    // No more bytes arrive. The last offset, which was not sent yet, is sent at the deadline.
    #expect(fixture.session.nextDeadline == MonotonicTime.zero.adding(milliseconds: 2_000))
    fixture.pass(milliseconds: 10)
    try turn(fixture, ada)
    #expect(ada.progress.count == 9)
    #expect(ada.progress.last == 10_000)
    fixture.pass(milliseconds: 10_000)
    #expect(fixture.session.needsTurn == false)
  }

  @Test("S48 when an upload pauses, an entry is appended only if no earlier entry has announced the offset")
  func pauses() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 100)
    for _ in 1...5 { fixture.session.uploadPaused(id, at: 0, now: fixture.now) }
    try turn(fixture, ada)
    #expect(ada.attachments.count == 1)
    fixture.session.uploadMoved(id, to: 50, now: fixture.now)
    try turn(fixture, ada)
    #expect(ada.progress == [50])
    for _ in 1...5 { fixture.session.uploadPaused(id, at: 0, now: fixture.now) }
    try turn(fixture, ada)
    #expect(ada.attachments.count == 2)
  }

  @Test(
    "P6 all uploads that begin in a session share one rate limit, which equals the limit for one participant's entries"
  )
  func beginningRate() throws {
    let fixture = Fixture { $0.entriesPerSecond = 10 }
    for _ in 1...20 { try fixture.session.consumeUploadRate(size: 0, now: fixture.now) }
    let refusal = fixture.refusal { () throws(Refusal) in
      try fixture.session.consumeUploadRate(size: 0, now: fixture.now)
    }
    #expect(refusal?.code == .rateLimited)
    #expect(refusal?.limit == 10)
    #expect(refusal?.retryAfterMs == 500)
    fixture.pass(milliseconds: 500)
    try fixture.session.consumeUploadRate(size: 0, now: fixture.now)
  }

  @Test(
    "S48 a participant that joins during an upload, or while the upload is paused, gets the upload's offset")
  func lateJoiner() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 100_000)
    for step in 1...3 {
      fixture.pass(milliseconds: 1_000)
      fixture.session.uploadMoved(id, to: UInt64(step * 1_000), now: fixture.now)
      try turn(fixture, ada)
    }
    #expect(ada.attachments.count == 1)
    for joiner in 1...2 {
      let grace = try fixture.join()
      let retained = try #require(grace.attachments.last)
      #expect(try AttachmentObject.decode(retained.payload.span).offset == 3_000)
      try ada.read()
      // The offset is announced once, not for each joiner.
      #expect(ada.attachments.count == 2, "after joiner \(joiner)")
    }
  }

  @Test(
    "S48 each upload has its own limit for progress entries: in one turn, at most one such entry is sent for each upload"
  )
  func several() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let ids = try (1...3).map { try fixture.add($0) }
    try turn(fixture, ada)
    for id in ids {
      for offset in 1...5 { fixture.session.uploadMoved(id, to: UInt64(offset), now: fixture.now) }
    }
    try turn(fixture, ada)
    #expect(ada.progress == [5, 5, 5])
    let entry = try #require(ada.entries.last)
    #expect(entry.flags == .system)
    #expect(entry.sender == 0 && entry.sequence == 0)
    #expect(
      String(decoding: entry.payload, as: UTF8.self)
        == #"{"id":"00000000-0000-0000-0000-000000000003","offset":5,"size":null}"#)
  }

  @Test("S48 progress is sent even if the clients' unreliable entries have filled the turn's batch")
  func busy() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1)
    for _ in 0..<3 {
      ada.sendRaw(SentEntry(flags: [], type: Array("C".utf8), payload: [UInt8](repeating: 0, count: 200_000)))
    }
    #expect(fixture.session.counters.unreliableDropped > 0)
    fixture.session.uploadMoved(id, to: 7, now: fixture.now)
    try turn(fixture, ada)
    #expect(ada.progress == [7])
  }

  @Test("S48 delayed progress of an upload is not sent after a newer entry about that upload")
  func stale() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let ids = try (1...4).map { try fixture.add($0) }
    try turn(fixture, ada)
    // The first progress is sent immediately, and later progress is deferred.
    for offset in 1...2 as ClosedRange<UInt64> {
      for id in ids { fixture.session.uploadMoved(id, to: offset, now: fixture.now) }
      try turn(fixture, ada)
    }
    #expect(ada.progress == [1, 1, 1, 1])
    ada.forget()
    fixture.session.uploadPaused(ids[0], at: 2, now: fixture.now)
    _ = fixture.session.removeAttachment(ids[1], now: fixture.now)
    try fixture.session.restartUpload(ids[2], size: nil, now: fixture.now)
    _ = fixture.session.storeContent(ids[3], digest: "ab", size: 2)
    fixture.pass(milliseconds: 250)
    try turn(fixture, ada)
    #expect(ada.progress.isEmpty)
    // The first upload is removed in the same turn, so only the progress of the third upload is sent.
    fixture.session.uploadMoved(ids[0], to: 3, now: fixture.now)
    fixture.session.uploadMoved(ids[2], to: 3, now: fixture.now)
    _ = fixture.session.removeAttachment(ids[0], now: fixture.now)
    try turn(fixture, ada)
    #expect(ada.progress == [3])
  }

  @Test("S48 a restarted upload has offset 0 and its new size")
  func restart() throws {
    let fixture = Fixture()
    let id = try fixture.add(1, size: 10)
    fixture.session.uploadMoved(id, to: 6, now: fixture.now)
    try fixture.session.restartUpload(id, size: nil, now: fixture.now)
    let object = try #require(fixture.session.attachment(id)?.object)
    #expect(object.offset == 0 && object.size == nil && object.state == .uploading)
    #expect(fixture.session.journal.usedBytes == 0)
  }

  @Test("S52 an upload expires only after `uploadKeepSeconds` without progress")
  func expiry() throws {
    let fixture = Fixture { $0.uploadKeepSeconds = 100 }
    let still = try fixture.add(1)
    let moves = try fixture.add(2)
    let whole = try fixture.add(3, size: 0)
    _ = fixture.session.storeContent(whole, digest: "ab", size: 0)
    #expect(fixture.session.nextDeadline == MonotonicTime.zero.adding(seconds: 100))
    fixture.pass(milliseconds: 60_000)
    fixture.session.uploadMoved(moves, to: 1, now: fixture.now)
    fixture.session.uploadMoved(still, to: 0, now: fixture.now)
    fixture.pass(milliseconds: 39_999)
    #expect(fixture.session.expiredUploads(now: fixture.now).isEmpty)
    fixture.pass(milliseconds: 1)
    #expect(fixture.session.expiredUploads(now: fixture.now) == [still])
    #expect(fixture.session.expiredUploads(now: fixture.now).isEmpty)
    _ = fixture.session.removeAttachment(still, now: fixture.now)
    #expect(fixture.session.nextDeadline == MonotonicTime.zero.adding(seconds: 160))
    fixture.session.uploadPaused(moves, at: 2, now: fixture.now)
    fixture.pass(milliseconds: 60_000)
    #expect(fixture.session.expiredUploads(now: fixture.now).isEmpty)
    #expect(fixture.session.nextDeadline == MonotonicTime.zero.adding(seconds: 200))
    fixture.pass(milliseconds: 40_000)
    #expect(fixture.session.expiredUploads(now: fixture.now) == [moves])
    #expect(fixture.session.attachment(moves)?.progressAt == MonotonicTime.zero.adding(seconds: 100))
    _ = fixture.session.removeAttachment(moves, now: fixture.now)
    #expect(fixture.session.nextDeadline == nil)
    fixture.pass(milliseconds: 1_000_000)
    #expect(fixture.session.expiredUploads(now: fixture.now).isEmpty)
  }
}
