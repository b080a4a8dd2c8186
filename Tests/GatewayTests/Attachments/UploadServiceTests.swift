import FoundationEssentials
import HTTP
import Networking
import Platform
import Primitives
@testable import SessionCore
import Storage
import Testing
import WebSocket
import Wire

@testable import Gateway

/// Uploads in all their states, with real files and without sockets.
@Suite("UploadService handles uploads in all their states")
struct UploadServiceTests {
  private static let digest = "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab"
  private static let bytes = Array("abcdefgh".utf8)
  /// The base64 of the SHA-1 of `abcd`.
  private static let checksum = "gf6L/odXbD7LIkJvjleEc4KRes8="

  @Test(
    "When the whole body of an upload in one request has been read, the attachment is ready and has its digest"
  )
  func oneRequest() async throws {
    let worker = try UploadWorker()
    let upload = try await worker.begin(.post(length: 8))
    #expect(await worker.effects(of: upload) == ["read 8"])
    await worker.send(Array(Self.bytes[..<3]), upload)
    #expect(await worker.effects(of: upload) == ["resume"])
    await worker.send(Array(Self.bytes[3...]), upload)
    await worker.end(upload)
    #expect(await worker.effects(of: upload).last == "answer 201")
    #expect(await worker.readyDigest == Self.digest)
    #expect(await worker.slotsInUse == 0)
  }

  @Test(
    "If a client repeats the creation of a ready attachment, the gateway answers before it reads the body")
  func repeated() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.post(length: 8)), Self.bytes)
    let again = try await worker.begin(.post(length: 8))
    #expect(await worker.effects(of: again) == ["drop 201"])
    await worker.end(again)
    #expect(await worker.effects(of: again) == ["answer 201"])
  }

  @Test(
    "When the buffer of an upload is full, the gateway stops reading until the buffered bytes are written to the file"
  )
  func backpressure() async throws {
    let worker = try UploadWorker(uploads: 1)
    let upload = try await worker.begin(.post(length: 200_000))
    _ = await worker.effects(of: upload)
    await worker.sendWithoutWaiting([UInt8](repeating: 1, count: 10), upload)
    #expect(await worker.effects(of: upload) == [])
    await worker.sendWithoutWaiting([UInt8](repeating: 2, count: Upload.manyPendingBytes), upload)
    #expect(await worker.effects(of: upload) == ["wait"])
    #expect(await worker.isHoldingBody(upload))
    await worker.settle()
    #expect(await worker.effects(of: upload).last == "resume")
    #expect(await !worker.isHoldingBody(upload))
  }

  @Test("tus: a PATCH at a wrong offset is refused, and the refusal states the upload's offset")
  func offsetMismatch() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    let upload = try await worker.begin(.patch(offset: 3, length: 5))
    #expect(await worker.effects(of: upload) == ["drop 409 at 0"])
  }

  @Test(
    "tus: if the checksum of a PATCH is wrong, its bytes are dropped, and the upload's offset is as before the PATCH"
  )
  func checksumMismatch() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    let wrong = try await worker.begin(.patch(offset: 0, length: 4, sha1: Self.checksum))
    await worker.complete(wrong, Array("abcX".utf8))
    #expect(await worker.effects(of: wrong).last == "answer 460 at 0")
    let right = try await worker.begin(.patch(offset: 0, length: 4, sha1: Self.checksum))
    await worker.complete(right, Array("abcd".utf8))
    #expect(await worker.effects(of: right).last == "answer 204")
    #expect(await worker.offset == 4)
  }

  @Test(
    "When a newer request takes over an upload, the older one is refused with the offset, and its later bytes are dropped"
  )
  func superseded() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    let old = try await worker.begin(.patch(offset: 0, length: 8))
    let new = try await worker.begin(.patch(offset: 0, length: 8))
    #expect(await worker.effects(of: old) == ["read 8", "refuse 409 at 0"])
    await worker.send(Array("XXXXXXXX".utf8), old)
    await worker.complete(new, Self.bytes)
    #expect(await worker.effects(of: new).last == "answer 204")
    #expect(await worker.readyDigest == Self.digest)
  }

  @Test("If all upload slots are used, an upload with a slow body is evicted for a new upload")
  func slow() async throws {
    let worker = try UploadWorker(uploads: 1)
    let slow = try await worker.begin(.post(length: 100_000))
    await worker.send([1], slow)
    await worker.advance(.seconds(20))
    let newcomer = try await worker.begin(.post(length: 8), as: UUID())
    #expect(await worker.effects(of: slow).last == "refuse 408")
    #expect(await worker.effects(of: newcomer) == ["read 8"])
    #expect(await worker.slotsInUse == 1)
  }

  @Test("If no upload slot is free, a new upload is refused immediately")
  func noSlot() async throws {
    let worker = try UploadWorker(uploads: 1)
    _ = try await worker.begin(.post(length: 8))
    let second = try await worker.begin(.post(length: 8), as: UUID())
    #expect(await worker.effects(of: second) == ["refuse 503"])
  }

  @Test("An upload is refused when its session ends")
  func sessionEnds() async throws {
    let worker = try UploadWorker()
    let upload = try await worker.begin(.post(length: 8))
    await worker.send(Array("abc".utf8), upload)
    await worker.endSession()
    #expect(await worker.effects(of: upload).last == "refuse 410")
    #expect(await worker.slotsInUse == 0)
    let late = try await worker.begin(.post(length: 8))
    #expect(await worker.effects(of: late) == ["drop 410"])
  }

  @Test("tus: an upload keeps its session in memory only while a PATCH request is in progress")
  func busy() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    #expect(await !worker.keepsSession)
    let piece = try await worker.begin(.patch(offset: 0, length: 8))
    #expect(await worker.keepsSession)
    await worker.send(Array("abc".utf8), piece)
    await worker.disconnect(piece)
    #expect(await !worker.keepsSession)
  }

  @Test(
    "The files of incomplete uploads stay when another gateway takes the session over, and are removed when the session ends"
  )
  func files() async throws {
    for isEnd in [false, true] {
      let worker = try UploadWorker()
      let upload = try await worker.begin(.create(size: 8))
      await worker.complete(upload, [])
      if isEnd { await worker.endSession() } else { await worker.loseSession() }
      #expect(await worker.uploadFiles == (isEnd ? 0 : 1))
      #expect(await !worker.keepsSession)
    }
  }

  @Test("An upload is refused when its attachment is removed, and the id can then be used again")
  func removed() async throws {
    let worker = try UploadWorker()
    let upload = try await worker.begin(.post(length: 8))
    await worker.send(Array("abc".utf8), upload)
    await worker.remove()
    #expect(await worker.effects(of: upload).last == "refuse 404")
    await worker.complete(try await worker.begin(.post(length: 8)), Self.bytes)
    #expect(await worker.readyDigest == Self.digest)
  }

  @Test("If an upload in one request is interrupted, its attachment is removed")
  func cut() async throws {
    let worker = try UploadWorker()
    let upload = try await worker.begin(.post(length: 8))
    await worker.send(Array("abc".utf8), upload)
    await worker.disconnect(upload)
    #expect(await !worker.exists)
    #expect(await worker.slotsInUse == 0)
  }

  @Test("tus: the bytes of an interrupted request are kept, and the next request continues after these bytes")
  func resumed() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    let first = try await worker.begin(.patch(offset: 0, length: 8))
    await worker.sendWithoutWaiting(Array("ab".utf8), first)
    await worker.sendWithoutWaiting(Array("c".utf8), first)
    await worker.disconnect(first)
    #expect(await worker.offset == 3)
    await worker.complete(try await worker.begin(.patch(offset: 3, length: 5)), Array("defgh".utf8))
    #expect(await worker.readyDigest == Self.digest)
  }

  @Test("tus: if an upload is interrupted after its last byte has arrived, the attachment is completed")
  func cutBehindLastByte() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    let upload = try await worker.begin(.patch(offset: 0, length: 8))
    await worker.sendWithoutWaiting(Self.bytes, upload)
    await worker.disconnect(upload)
    #expect(await worker.readyDigest == Self.digest)
  }

  @Test("If an upload does not match the digest in its request, its attachment is removed")
  func digestMismatch() async throws {
    let worker = try UploadWorker()
    let upload = try await worker.begin(.post(length: 8, sha256: [UInt8](repeating: 0, count: 32)))
    await worker.complete(upload, Self.bytes)
    #expect(await worker.effects(of: upload).last == "answer 422")
    #expect(await !worker.exists)
  }

  @Test("If only the disk reserve is free, an upload is refused before an attachment is created")
  func fullDisk() async throws {
    let worker = try UploadWorker(diskReserveBytes: 1 << 60)
    let upload = try await worker.begin(.post(length: 8))
    #expect(await worker.effects(of: upload) == ["drop 507"])
    #expect(await !worker.exists)
  }

  @Test("A chunked body is refused when it announces more bytes than the upload still needs")
  func tooLarge() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    let upload = try await worker.begin(.patch(offset: 0, length: nil))
    #expect(await worker.effects(of: upload) == ["read 8"])
    await worker.announce(9, upload)
    #expect(await worker.effects(of: upload) == ["refuse 400"])
  }

  @Test("After a restart, a resumable upload continues at the length of its file")
  func restarted() async throws {
    let worker = try UploadWorker()
    await worker.complete(try await worker.begin(.create(size: 8)), [])
    await worker.complete(try await worker.begin(.patch(offset: 0, length: 3)), Array("abc".utf8))
    try await worker.restart(fileBytes: 3)
    #expect(await worker.offset == 3)
    await worker.complete(try await worker.begin(.patch(offset: 3, length: 5)), Array("defgh".utf8))
    #expect(await worker.readyDigest == Self.digest)
  }

  @Test("A restart removes an incomplete upload that cannot be resumed")
  func restartedInOneRequest() async throws {
    let worker = try UploadWorker()
    let upload = try await worker.begin(.post(length: 8))
    await worker.send(Array("abc".utf8), upload)
    try await worker.restart(fileBytes: 3)
    #expect(await !worker.exists)
  }
}

/// The head of a request with a body.
private struct UploadHead {
  let method: String
  let fields: String

  static func post(length: Int, sha256: [UInt8]? = nil) -> UploadHead {
    let digest = sha256.map { "Repr-Digest: sha-256=:\(Base64.encode($0)):\r\n" } ?? ""
    return UploadHead(method: "POST", fields: "Content-Length: \(length)\r\n\(digest)")
  }

  static func create(size: Int) -> UploadHead {
    UploadHead(
      method: "POST", fields: "Tus-Resumable: 1.0.0\r\nUpload-Length: \(size)\r\nContent-Length: 0\r\n")
  }

  static func patch(offset: Int, length: Int?, sha1: String? = nil) -> UploadHead {
    let framing = length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
    let checksum = sha1.map { "Upload-Checksum: sha1 \($0)\r\n" } ?? ""
    return UploadHead(
      method: "PATCH",
      fields: "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n"
        + "Upload-Offset: \(offset)\r\n\(framing)\(checksum)")
  }

  /// Returns the parsed request for an attachment.
  func request(_ attachment: UUID, limits: Limits) throws -> UploadRequest {
    let text = "\(method) / HTTP/1.1\r\nHost: a\r\nAttachment-Id: \(attachment)\r\n\(fields)\r\n"
    var reader = RequestReader()
    var position = 0
    guard case .head(let head)? = try reader.next(in: Array(text.utf8).span, at: &position) else {
      throw MessageError.headTooLarge(limit: 0)
    }
    return method == "POST"
      ? try UploadRequest(creating: head, limits: limits)
      : try UploadRequest(resuming: attachment, head, limits: limits)
  }
}

/// An upload service with one session, on a thread of its own like a reactor. It uses no real
/// connections, and records the effects that the service has on each connection.
private actor UploadWorker {
  private let gateway: Gateway
  private let folder: String
  private let clock = LoopClock(MonotonicTime(nanoseconds: 1_000_000_000_000))
  private let tasks = LoopTasks()
  private let counters = ReactorCounters()
  private let service: UploadService
  private let hosted: SessionHost
  private let attachment = UUID()
  private var uploads: [Upload] = []
  private var effects: [[String]] = []
  /// The number of tasks that have not ended.
  private var running = 0

  init(uploads: Int = 64, diskReserveBytes: Int = 0) throws {
    folder = FileManager.default.temporaryDirectory.path + "/drawtogether-uploads-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/public", withIntermediateDirectories: true)
    try Data("page".utf8).write(to: URL(filePath: folder + "/public/index.html"))
    var configuration = GatewayConfiguration()
    configuration.https = nil
    configuration.dataDirectory = folder + "/data"
    configuration.publicDirectory = folder + "/public"
    configuration.durability = .memory
    configuration.limits.uploads = uploads
    configuration.limits.diskReserveBytes = diskReserveBytes
    // The gateway is never started: only its files and their threads are used, and no socket is opened.
    gateway = try Gateway(
      configuration: configuration,
      log: Log(level: .error, format: .text, clock: { LogTime.now }, output: { _ in }))
    let shared = gateway.shared
    let logger = GatewayLogger(shared.log, counters: counters, clock: clock)
    let persister = Persister(
      shared.persistence, reactor: 0, clock: clock, tasks: tasks, counters: counters)
    service = UploadService(
      shared.uploadEnvironment, reactor: 0, clock: clock, tasks: tasks, persister: persister,
      logger: logger, counters: counters)
    hosted = SessionHost(
      Session(
        id: SessionID(high: 1, low: 2), epoch: "epoch",
        activity: Activity(identifier: "drawtogether", title: "Draw Together", type: "generic"),
        createdAt: Date(timeIntervalSince1970: 0), limits: configuration.limits, now: clock.now,
        saving: .inMemory),
      compressor: CatchUpCompressor(Deflater(level: 1)))
  }

  deinit {
    gateway.shared.setReactors([])
    _ = gateway.shared.fileThreads.stop(within: .seconds(1))
    try? FileManager.default.removeItem(atPath: folder)
  }

  var exists: Bool { hosted.session.attachment(attachment) != nil }
  /// The digest of the attachment; nil until it is ready.
  var readyDigest: String? {
    let object = hosted.session.attachment(attachment)?.object
    return object?.state == .ready ? object?.sha256 : nil
  }
  var offset: UInt64? { hosted.session.attachment(attachment)?.object.offset }
  var keepsSession: Bool { service.isBusy(in: hosted) }
  /// The number of stored files of incomplete uploads.
  var uploadFiles: Int {
    let id = hosted.session.id
    let files = try? gateway.shared.attachments.files(of: id)
    return files?.filter { $0.place == .uploads }.count ?? 0
  }
  var slotsInUse: Int { service.environment.table.count }

  // MARK: - Requests

  /// Begins an upload.
  func begin(_ head: UploadHead, as attachment: UUID? = nil) async throws -> Int {
    service.perform = { [unowned self] effect, key in perform(effect, key) }
    let number = uploads.count
    let upload = Upload(
      try head.request(attachment ?? self.attachment, limits: service.limits), to: hosted.session.id,
      over: Connection.Key(slot: Int32(number), generation: 1), from: IPAddress(v4: 1), countedAs: nil)
    uploads.append(upload)
    effects.append([])
    guard service.admit(upload, evict: { evict($0) }) else { return number }
    await service.open(upload, in: hosted.isRemoved ? .failure(.ended) : .success(hosted))
    await settle()
    return number
  }

  private func evict(_ eviction: UploadTable.Eviction) -> Bool {
    func end() async {
      service.endSlowUpload(eviction)
    }
    tasks.start(end)
    return true
  }

  /// Receives bytes of a body without letting the service write them to the file.
  func sendWithoutWaiting(_ bytes: [UInt8], _ number: Int) {
    guard uploads[number].isConnected else { return }
    service.receive(bytes[...], of: uploads[number])
  }

  func send(_ bytes: [UInt8], _ number: Int) async {
    sendWithoutWaiting(bytes, number)
    await settle()
  }

  func end(_ number: Int) async {
    if uploads[number].isConnected { service.bodyEnded(of: uploads[number]) }
    await settle()
  }

  func complete(_ number: Int, _ bytes: [UInt8]) async {
    if !bytes.isEmpty { await send(bytes, number) }
    await end(number)
  }

  func announce(_ bytes: Int, _ number: Int) async {
    service.bodyIsTooLarge(bytes, for: uploads[number])
    await settle()
  }

  func disconnect(_ number: Int) async {
    service.disconnect(uploads[number])
    await settle()
  }

  func isHoldingBody(_ number: Int) -> Bool { uploads[number].isHoldingBody }

  /// Returns the effects on a connection since the last call.
  func effects(of number: Int) -> [String] {
    defer { effects[number] = [] }
    return effects[number]
  }

  private func perform(_ effect: UploadEffect, _ key: Connection.Key) {
    let number = Int(key.slot)
    func text(_ word: String, _ answer: Answer) -> String {
      let status = "\(word) \(answer.head.status.code)"
      let body = String(decoding: answer.bytes[answer.range], as: UTF8.self)
      guard answer.head.status.code >= 400, let offset = body.firstRange(of: "\"offset\":") else {
        return status
      }
      return status + " at " + body[offset.upperBound...].prefix { $0.isNumber }
    }
    var isLast = false
    switch effect {
    case .readBody(let limit): effects[number].append("read \(limit)")
    case .resumeBody: effects[number].append("resume")
    case .awaitDisk: effects[number].append("wait")
    case .awaitAnswer: break
    case .dropBody(let answer): effects[number].append(text("drop", answer))
    case .answer(let answer):
      effects[number].append(text("answer", answer))
      isLast = true
    case .refuse(let answer):
      effects[number].append(text("refuse", answer))
      isLast = true
    case .close:
      effects[number].append("close")
      isLast = true
    }
    // A real connection also calls `disconnect` after it has sent the last response, and when it closes.
    if isLast { service.disconnect(uploads[number]) }
  }

  // MARK: - The session

  func advance(_ duration: Duration) {
    clock.set(clock.now + duration)
  }

  func endSession() async {
    hosted.isRemoved = true
    service.endUploads(of: hosted, keepsFiles: false)
    await service.discardEnded(of: hosted.session.id)
    await settle()
  }

  func loseSession() async {
    service.endUploads(of: hosted, keepsFiles: true)
    hosted.isRemoved = true
    await service.discardEnded(of: hosted.session.id)
    await settle()
  }

  func remove() async {
    await service.remove(attachment, from: hosted)
    await settle()
  }

  /// Removes all uploads from memory, and restores the attachment as a new process does after a restart.
  func restart(fileBytes: UInt64) async throws {
    let known = hosted.session.attachment(attachment)
    let found = try #require(known)
    let file = try #require(service.pendingAttachments[attachment, hosted]).file.name
    service.endUploads(of: hosted, keepsFiles: true)
    let upload = RestoredUpload(
      id: attachment, file: file, isResumable: found.isResumable, size: found.object.size, digest: nil)
    service.restore([upload], SessionLoader.Files(uploads: [file: fileBytes]), in: hosted)
    await settle()
  }

  /// Runs the tasks of the service until all have ended.
  func settle() async {
    while true {
      for work in tasks.takeAll() {
        running += 1
        Task { await run(work) }
      }
      guard running > 0 else { return }
      await Task.yield()
    }
  }

  private func run(_ work: LoopTasks.Work) async {
    await work()
    running -= 1
  }
}
