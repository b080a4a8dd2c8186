internal import HTTP
internal import Networking
internal import Primitives
internal import Wire

/// The connections of uploads.
extension Reactor {
  /// The longest time that the disk may take for a buffer.
  private static let diskTime = Duration.seconds(60)

  /// Starts an upload whose body is about to arrive.
  func startUpload(_ connection: Connection, _ http: HTTPConversation, _ upload: Upload) {
    http.reader.bodyLimit = .max
    connection.deadline = now + Self.diskTime
    guard uploads.admit(upload, evict: { shared.evict($0) }) else { return }
    Task { await uploads.open(upload, in: await findOpen(upload.session)) }
  }

  /// Performs an action of the connection that brings an upload.
  func perform(_ effect: UploadEffect, over key: Connection.Key) {
    guard let connection = connections[key], let http = connection.http,
      http.upload != nil, let head = http.exchange?.head
    else { return }
    switch effect {
    case .readBody(let limit):
      http.reader.bodyLimit = Int(clamping: limit)
      if head.expectsContinue { send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: connection, http) }
      resumeBody(connection)
    case .resumeBody:
      resumeBody(connection)
    case .awaitDisk:
      connection.deadline = now + Self.diskTime
    case .awaitAnswer:
      http.awaitsAnswer = true
      connection.deadline = now + Self.diskTime
    case .dropBody(let answer):
      guard head.expectsContinue else {
        // No more than this is read of a request whose answer is known.
        http.reader.bodyLimit = shared.limits.attachmentBytes
        resumeBody(connection)
        return
      }
      http.closesAfterOutput = true
      send(answer, on: connection, http, for: head)
    case .answer(let answer):
      send(answer, on: connection, http, for: head)
    case .refuse(let answer):
      http.closesAfterOutput = true
      http.lingersLong = true
      send(answer, on: connection, http, for: head)
    case .close:
      close(connection)
    }
  }

  /// Continues to read a body.
  private func resumeBody(_ connection: Connection) {
    connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
    resumeReading(connection)
    guard !connection.hasDeferredInput else { return }
    // The rest may be no more than the end of the request, for which no byte is needed.
    var nothing: [UInt8] = []
    consume(connection, &nothing, from: 0, upTo: 0)
  }
}
