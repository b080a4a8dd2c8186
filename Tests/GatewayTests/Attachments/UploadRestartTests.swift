import FoundationEssentials
import Glibc
import SessionCore
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// Uploads that continue at their offsets after a restart, no matter how the process ended.
  @Suite("After a restart of the gateway, uploads continue at their offsets")
  struct UploadRestartTests {
    /// Waits until a session's list of attachments fulfils a condition.
    private static func wait(
      for what: String, in journal: JournalClient, _ condition: ([AttachmentObject]) throws -> Bool
    ) throws {
      let deadline = TestTimeout.deadline
      while true {
        let list = try journal.list()
        if try condition(list) { return }
        guard .now() < deadline else {
          Issue.record("\(what): \(list)")
          throw ClientError.outOfPatience(waitingFor: what)
        }
        sched_yield()
      }
    }

    @Test(
      "PROTOCOL 4: after a restart, a resumable upload continues at its offset",
      arguments: RunningGateway.End.allCases)
    func resumed(_ end: RunningGateway.End) throws {
      var gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let bytes = Content.bytes(700_001, seed: 8)
      let id = UUID()
      let cuts = [0, 1, 65_536, 300_000, 700_000, 700_001]
      #expect(try JournalClient(gateway, session).create(id, size: bytes.count).status == 201)
      for (start, stop) in zip(cuts, cuts.dropFirst()) {
        gateway = try gateway.restart(end)
        let journal = try JournalClient(gateway, session)
        #expect(try journal.offset(of: id) == start)
        #expect(try journal.list().map(\.state) == [.uploading])
        #expect(try journal.patch(id, at: start, Array(bytes[start..<stop])).status == 204)
      }
      gateway = try gateway.restart(end)
      let journal = try JournalClient(gateway, session)
      #expect(try journal.list().map(\.sha256) == [Content.digest(bytes)])
      #expect(try journal.read(id).body == bytes)
      #expect(gateway.files(of: session, in: .attachments) == [Content.digest(bytes)])
      #expect(gateway.files(of: session, in: .uploads) == [])
    }

    @Test(
      "P6: after a restart, the quota counts the received bytes of an upload of unknown length",
      arguments: RunningGateway.End.allCases)
    func countsWhatArrived(_ end: RunningGateway.End) throws {
      var gateway = try RunningGateway { $0.limits.sessionAttachmentBytes = 1_000_000 }
      let session = try gateway.makeSession()
      let journal = try JournalClient(gateway, session)
      let (bytes, id) = (Content.bytes(700_000, seed: 12), UUID())
      #expect(try journal.create(id, size: nil).status == 201)
      #expect(try journal.patch(id, at: 0, bytes).status == 204)
      gateway = try gateway.restart(end)
      let again = try JournalClient(gateway, session)
      let refused = try again.create(UUID(), size: 300_001)
      #expect(refused.status == 413 && refused.text.contains("session-quota"))
      #expect(refused.text.contains(#""actual":1000001"#))
      #expect(try again.create(UUID(), size: 300_000).status == 201)
      #expect(try again.offset(of: id) == bytes.count)
    }

    @Test(
      "PROTOCOL 4: if the gateway is killed during a PATCH request, the upload keeps the bytes on the disk")
    func cutInPiece() throws {
      var gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let bytes = Content.bytes(400_000, seed: 9)
      let id = UUID()
      let journal = try JournalClient(gateway, session)
      #expect(try journal.create(id, size: bytes.count).status == 201)
      try journal.stream.send(
        journal.head(
          "PATCH", journal.path(of: id), JournalClient.pieceFields(at: 0), .length, length: bytes.count)
          + bytes[..<250_000])
      try Self.wait(for: "the first bytes of the upload", in: try JournalClient(gateway, session)) {
        $0.contains { $0.offset > 0 }
      }
      gateway = try gateway.restart(.cut)
      let again = try JournalClient(gateway, session)
      let offset = try #require(try again.offset(of: id))
      #expect((1...250_000).contains(offset))
      #expect(try again.patch(id, at: offset, Array(bytes[offset...])).status == 204)
      #expect(try again.read(id).body == bytes)
    }

    @Test(
      "PROTOCOL 4: if the gateway stops during an upload in one request, the restart removes the upload's file and attachment",
      arguments: RunningGateway.End.allCases)
    func cutInOneRequest(_ end: RunningGateway.End) async throws {
      var gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      let bytes = Content.bytes(400_000, seed: 10)
      let journal = try JournalClient(gateway, session)
      try journal.stream.send(
        journal.head(
          "POST", journal.path(), JournalClient.fileFields(UUID()), .length, length: bytes.count)
          + bytes[..<250_000])
      try member.read(until: "the announcement of the attachment") { !$0.state.attachments.isEmpty }
      try await gateway.waitUntilSaved(session)
      member.cut()
      gateway = try gateway.restart(end)
      let again = try JournalClient(gateway, session)
      try Self.wait(for: "an empty list", in: again) { $0.isEmpty }
      try await gateway.wait(for: "no file") { gateway.files(of: session, in: .uploads).isEmpty }
      #expect(gateway.files(of: session, in: .attachments) == [])
      member.gateway = gateway
      try member.join()
      try member.read(until: "the removal of the attachment") { $0.state.attachments.isEmpty }
    }

    @Test("After a restart, an upload whose file has all its bytes is completed", arguments: [false, true])
    func placedAndNotTold(isResumable: Bool) async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk)
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      let bytes = Content.bytes(300_000, seed: 11)
      let id = UUID()
      let journal = try JournalClient(gateway, session)
      if isResumable {
        #expect(try journal.create(id, size: bytes.count).status == 201)
      }
      try await gateway.waitUntilSaved(session)
      // The process ends when the file has all bytes, but before a record on the disk says that the attachment is ready.
      disk.hang {
        $0.session == session && (isResumable ? $0.kinds.contains(.upload) : $0.kinds == [.run, .time])
      }
      let upload = try Asked { [gateway] in
        let journal = try JournalClient(gateway, session)
        // The gateway may end before it answers.
        return try? isResumable ? journal.patch(id, at: 0, bytes).status : journal.add(id, bytes).status
      }
      try disk.waitUntilMet()
      let path = "\(gateway.folder)/data/sessions/\(session.text)/uploads/"
      try await gateway.wait(for: "all bytes of the upload") {
        guard isResumable else { return !gateway.files(of: session, in: .attachments).isEmpty }
        return try gateway.files(of: session, in: .uploads).contains {
          try Data(contentsOf: URL(filePath: path + $0)).count == bytes.count
        }
      }
      gateway.gateway.stop()
      // All clients are disconnected before the disk fails, so that none of them receives an error.
      gateway.gateway.waitForReactors()
      try member.socket?.stream.drainToEnd()
      disk.fail(with: EIO)
      gateway = try gateway.restart(.cut)
      _ = try upload.wait()
      let again = try JournalClient(gateway, session)
      try Self.wait(for: "the attachment", in: again) { $0.map(\.state) == [.ready] }
      #expect(try again.list().map(\.sha256) == [Content.digest(bytes)])
      #expect(try again.read(id).body == bytes)
      #expect(gateway.files(of: session, in: .uploads) == [])
      let newcomer = try ParticipantClient(gateway, session).join()
      try newcomer.read(until: "a ready attachment") { $0.state.attachments.values.map(\.state) == [.ready] }
    }

    @Test(
      "Files that no record refers to are removed, unless the session's log is damaged",
      arguments: [false, true])
    func damaged(isDamaged: Bool) async throws {
      var gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let contents = (0..<3).map { Content.bytes(1000, seed: UInt64($0)) }
      let journal = try JournalClient(gateway, session)
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1], retention: .append))
      try member.readUntilCommitted()
      let folder = "\(gateway.folder)/data/sessions/\(session.text)"
      let whole = try Data(contentsOf: URL(filePath: folder + "/log")).count
      for content in contents { #expect(try journal.add(UUID(), content).status == 201) }
      let names = Set(contents.map(Content.digest))
      #expect(gateway.files(of: session, in: .attachments) == names)
      member.cut()
      gateway.stop()
      if isDamaged {
        var log = Array(try Data(contentsOf: URL(filePath: folder + "/log")))
        log[whole + 20] ^= 0x40
        try Data(log).write(to: URL(filePath: folder + "/log"))
      } else {
        try Data([1]).write(to: URL(filePath: "\(folder)/attachments/\(Content.digest([1]))"))
        try Data([2]).write(to: URL(filePath: "\(folder)/uploads/\(UUID())"))
      }
      gateway = try gateway.restart(.cut)
      #expect(try gateway.status(of: session) == 200)
      if isDamaged {
        // The attachments' files also stay after further restarts, and after the gateway has repaired the log.
        for _ in 0..<2 {
          let newcomer = try ParticipantClient(gateway, session).join()
          #expect(newcomer.state.held[.zero] == [[1]])
          try newcomer.send(newcomer.entry([]))
          try newcomer.readUntilCommitted()
          #expect(gateway.files(of: session, in: .attachments) == names)
          newcomer.cut()
          gateway = try gateway.restart(.drained)
          #expect(try gateway.status(of: session) == 200)
        }
        gateway = try gateway.restart(.drained)
        #expect(gateway.files(of: session, in: .attachments) == names)
      } else {
        try await gateway.wait(for: "the removal of the unreferenced files") {
          gateway.files(of: session, in: .attachments) == names
            && gateway.files(of: session, in: .uploads).isEmpty
        }
      }
    }
  }
}
