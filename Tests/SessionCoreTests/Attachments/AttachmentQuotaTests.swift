import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// PROTOCOL 4: the attachment quota of a session, and the bytes that count toward it.
@Suite("PROTOCOL 4: the attachment quota")
struct AttachmentQuotaTests {
  /// The error code, the limit and the actual value of a refusal.
  private struct Numbers: Equatable {
    let code: ErrorCode?
    let limit: UInt64?
    let actual: UInt64?
  }

  private func numbers(_ fixture: Fixture, _ body: () throws(Refusal) -> Void) -> Numbers {
    let refusal = fixture.refusal(body)
    return Numbers(code: refusal?.code, limit: refusal?.limit, actual: refusal?.actual)
  }

  @Test(
    "S50 an attachment over a limit (size, total bytes, number, retained bytes) is refused with limit and actual value"
  )
  func refusals() throws {
    let fixture = Fixture {
      $0.attachmentBytes = 100
      $0.sessionAttachmentBytes = 150
      $0.attachmentsPerSession = 2
      $0.sessionLogBytes = 1_000
    }
    #expect(
      numbers(fixture) { () throws(Refusal) in try fixture.add(1, size: 101) }
        == Numbers(code: .attachmentTooLarge, limit: 100, actual: 101))
    #expect(
      numbers(fixture) { () throws(Refusal) in try fixture.add(1, size: .max) }
        == Numbers(code: .attachmentTooLarge, limit: 100, actual: .max))
    try fixture.add(1, size: 100)
    #expect(
      numbers(fixture) { () throws(Refusal) in try fixture.add(2, size: 51) }
        == Numbers(code: .sessionQuota, limit: 150, actual: 151))
    try fixture.add(2, size: 50)
    #expect(
      numbers(fixture) { () throws(Refusal) in try fixture.add(3, size: 0) }
        == Numbers(code: .sessionQuota, limit: 2, actual: 2))
    _ = fixture.session.removeAttachment(fixture.attachmentID(2), now: fixture.now)
    let ada = try fixture.join()
    ada.send(String(repeating: "x", count: 400), .appended, key: 7)
    let retained = fixture.session.retainedBytes
    #expect(
      numbers(fixture) { () throws(Refusal) in try fixture.add(3, size: 0) }
        == Numbers(code: .sessionQuota, limit: 1_000, actual: UInt64(retained)))
    #expect(fixture.session.retainedBytes == retained)
    #expect(fixture.session.attachmentObjects.count == 1)
    #expect(fixture.session.journal.usedBytes == 100)
  }

  @Test("S50 a deferred tus length can be set only once, not below the received bytes, and within the limits")
  func laterSize() throws {
    let fixture = Fixture {
      $0.attachmentBytes = 100
      $0.sessionAttachmentBytes = 150
    }
    try fixture.add(1, size: 60)
    let id = try fixture.add(2)
    _ = try fixture.session.reserveUpload(id, upTo: 30)
    fixture.session.uploadMoved(id, to: 30, now: fixture.now)
    func setSize(_ size: UInt64) -> Numbers {
      numbers(fixture) { () throws(Refusal) in try fixture.session.setUploadSize(id, size, now: fixture.now) }
    }
    #expect(setSize(29) == Numbers(code: .badRequest, limit: 30, actual: 29))
    #expect(setSize(101) == Numbers(code: .attachmentTooLarge, limit: 100, actual: 101))
    #expect(setSize(91) == Numbers(code: .sessionQuota, limit: 150, actual: 151))
    #expect(fixture.session.attachment(id)?.object.size == nil)
    #expect(setSize(40).code == nil)
    #expect(fixture.session.journal.usedBytes == 100)
    #expect(setSize(40).code == nil)
    #expect(setSize(41) == Numbers(code: .badRequest, limit: 40, actual: 41))
    #expect(
      numbers(fixture) { () throws(Refusal) in _ = try fixture.session.reserveUpload(id, upTo: 41) }
        == Numbers(code: .badRequest, limit: 40, actual: 41))
    #expect(try fixture.session.reserveUpload(id, upTo: 40) == 40)
  }

  @Test(
    "S51 an upload of unknown size reserves 8 MiB at a time; its last reservation ends at the size limit or the quota"
  )
  func steps() throws {
    let fixture = Fixture { $0.sessionAttachmentBytes = 120 << 20 }
    let id = try fixture.add(1)
    #expect(fixture.session.journal.usedBytes == 0)
    #expect(try fixture.session.reserveUpload(id, upTo: 1) == 8 << 20)
    #expect(try fixture.session.reserveUpload(id, upTo: 8 << 20) == 8 << 20)
    #expect(try fixture.session.reserveUpload(id, upTo: 8 << 20 + 1) == 16 << 20)
    #expect(try fixture.session.reserveUpload(id, upTo: 99 << 20) == 100 << 20)
    #expect(
      numbers(fixture) { () throws(Refusal) in _ = try fixture.session.reserveUpload(id, upTo: 100 << 20 + 1)
      }
        == Numbers(code: .attachmentTooLarge, limit: 100 << 20, actual: 100 << 20 + 1))
    // The quota has 20 MiB left, which is not a multiple of 8 MiB. So the last reservation has less than 8 MiB.
    let other = try fixture.add(2)
    #expect(try fixture.session.reserveUpload(other, upTo: 15 << 20) == 16 << 20)
    #expect(try fixture.session.reserveUpload(other, upTo: 16 << 20 + 5) == 20 << 20)
    #expect(
      numbers(fixture) { () throws(Refusal) in
        _ = try fixture.session.reserveUpload(other, upTo: 20 << 20 + 1)
      }
        == Numbers(code: .sessionQuota, limit: 120 << 20, actual: 120 << 20 + 1))
    #expect(fixture.session.storeContent(id, digest: "a", size: 7) == .first)
    #expect(fixture.session.journal.usedBytes == 20 << 20 + 7)
  }

  @Test("S49 content that several attachments share counts once, and is removed with the last attachment")
  func duplicates() throws {
    let fixture = Fixture()
    let ids = try (1...3).map { try fixture.add($0, size: 10) }
    #expect(fixture.session.journal.usedBytes == 30)
    #expect(fixture.session.storeContent(ids[0], digest: "a", size: 10) == .first)
    #expect(fixture.session.storeContent(ids[1], digest: "a", size: 10) == .duplicate)
    #expect(fixture.session.storeContent(ids[2], digest: "b", size: 10) == .first)
    for id in ids { _ = fixture.session.finishAttachment(id, now: fixture.now) }
    #expect(fixture.session.journal.usedBytes == 20)
    let first = fixture.session.removeAttachment(ids[0], now: fixture.now)
    #expect(first == RemovedAttachment(id: ids[0], wasUploading: false, orphanedDigest: nil))
    #expect(fixture.session.removeAttachment(ids[1], now: fixture.now)?.orphanedDigest == "a")
    #expect(fixture.session.journal.usedBytes == 10)
    // After the content was removed, equal content counts as new.
    let again = try fixture.add(1, size: 10)
    #expect(fixture.session.storeContent(again, digest: "a", size: 10) == .first)
  }

  @Test(
    "S50 in a session at its log limit, uploads can still pause and finish, and attachments can be removed")
  func fullSession() throws {
    let fixture = Fixture { $0.sessionLogBytes = 1_024 }
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 5)
    let other = try fixture.add(2, size: 5)
    ada.send(String(repeating: "x", count: 1_024 - 39 - fixture.session.retainedBytes), .appended, key: 9)
    #expect(fixture.session.retainedBytes == 1_024)
    fixture.session.uploadPaused(other, at: 1, now: fixture.now)
    _ = fixture.session.storeContent(id, digest: String(repeating: "a", count: 64), size: 5)
    #expect(fixture.session.finishAttachment(id, now: fixture.now)?.state == .ready)
    #expect(fixture.session.retainedBytes > 1_024)
    #expect(fixture.session.removeAttachment(id, now: fixture.now) != nil)
    try fixture.turn(ada)
    #expect(ada.attachments.count == 6)
    #expect(ada.refusals.isEmpty)
  }

  /// The expected use of the quota, computed from all attachments after each operation.
  private struct Model {
    var reserved: [UUID: UInt64] = [:]
    var digests: [UUID: String] = [:]
    var used: UInt64 {
      reserved.values.reduce(0, +) + Set(digests.values).reduce(0) { $0 + Model.size(of: $1) }
    }
    /// In this test, the digest of a content is its size as text.
    static func size(of digest: String) -> UInt64 { UInt64(digest) ?? 0 }
  }

  @Test(
    "S49 after random operations, the used bytes are the sum of all distinct contents and all reservations",
    arguments: 1...50 as ClosedRange<UInt64>)
  func accounting(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let step = 8 << 20
    let fixture = Fixture {
      $0.attachmentBytes = 3 * step + 5
      $0.sessionAttachmentBytes = 6 * step
      $0.attachmentsPerSession = 6
    }
    let quota = UInt64(6 * step)
    var model = Model()
    for _ in 0..<400 {
      let id = fixture.attachmentID(UInt64(random.below(8)))
      let size = UInt64(random.below(4 * step))
      let known = random.chance(50) ? size : nil
      do throws(Refusal) {
        switch random.below(6) {
        case 0 where fixture.session.attachment(id) == nil:
          try fixture.add(EntryKey(id).low, size: known)
          model.reserved[id] = known ?? 0
        case 1:
          try fixture.session.restartUpload(id, size: known, now: fixture.now)
          model.reserved[id] = known ?? 0
        case 2:
          try fixture.session.setUploadSize(id, size, now: fixture.now)
          model.reserved[id] = size
        case 3:
          let reserved = try fixture.session.reserveUpload(id, upTo: size)
          #expect(reserved >= size && reserved <= UInt64(3 * step + 5))
          model.reserved[id] = reserved
        case 4:
          // The received bytes never exceed the reservation. There are only few sizes, so that some contents are equal.
          let whole = min(model.reserved[id] ?? 0, UInt64(random.below(3)) * UInt64(step))
          let isKnown = model.digests.values.contains("\(whole)")
          guard let placement = fixture.session.storeContent(id, digest: "\(whole)", size: whole) else {
            break
          }
          #expect(placement == (isKnown ? .duplicate : .first))
          model.reserved[id] = nil
          model.digests[id] = "\(whole)"
          if random.chance(80) { _ = fixture.session.finishAttachment(id, now: fixture.now) }
        default:
          guard let removed = fixture.session.removeAttachment(id, now: fixture.now) else { break }
          model.reserved[id] = nil
          let digest = model.digests.removeValue(forKey: id)
          let isRetained = model.digests.values.contains { $0 == digest }
          #expect(removed.orphanedDigest == (isRetained ? nil : digest))
        }
      } catch {
        #expect([.sessionQuota, .attachmentTooLarge, .badRequest, .notFound].contains(error.code))
      }
      #expect(fixture.session.journal.usedBytes == model.used)
      #expect(model.used <= quota)
      #expect(fixture.session.attachmentObjects.count == model.reserved.count + model.digests.count)
    }
  }
}
