import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

/// A client that makes random requests for a few attachments. Each request takes several steps, between which other
/// clients can send requests. Some requests are interrupted. Each response must be one that PROTOCOL allows.
final class JournalWorker {
  /// The ids of the attachments, and the content that every worker adds under each id.
  struct Material {
    let ids: [UUID]
    let contents: [[UInt8]]

    func content(_ index: Int) -> [UInt8] { contents[index % contents.count] }
  }

  private enum Deed: CaseIterable {
    case create, patch, add, addInChunks, remove, read, status

    /// True if a request of another worker can take over the upload, which closes this worker's connection.
    var isOvertaken: Bool {
      switch self {
      case .create, .patch, .add, .addInChunks: true
      case .remove, .read, .status: false
      }
    }
  }

  private enum State {
    case idle
    case sending(Deed, Int, parts: [[UInt8]], isCut: Bool)
    case awaiting(Deed, Int)
  }

  private let room: JournalRoom
  private let material: Material
  private let isSecure: Bool
  private var client: JournalClient
  private var state = State.idle
  private var random: SeededGenerator
  /// For each attachment, by its index in `material.ids`, the upload offset in the last response to this worker.
  private var offsets: [Int: Int] = [:]

  init(_ room: JournalRoom, _ material: Material, isSecure: Bool, seed: UInt64) throws {
    self.room = room
    self.material = material
    self.isSecure = isSecure
    random = SeededGenerator(seed: seed)
    client = try room.client(isSecure: isSecure)
  }

  /// Performs one step: chooses a random request, sends the next part of a request, or receives a response.
  func step() throws {
    switch state {
    case .idle: choose()
    case .sending(let deed, let index, var parts, let isCut):
      let part = parts.removeFirst()
      do {
        try client.stream.send(part)
      } catch ClientError.broken {
        // The request was answered already, or another request has replaced it.
        return try reconnect()
      }
      if !parts.isEmpty {
        state = .sending(deed, index, parts: parts, isCut: isCut)
      } else if isCut {
        if random.next(below: 2) == 0 { client.stream.cut() }
        try reconnect()
      } else {
        state = .awaiting(deed, index)
      }
    case .awaiting(let deed, let index):
      try receive(deed, index)
    }
  }

  /// Performs steps until no request is in progress.
  func finish() throws {
    while true {
      if case .idle = state { return }
      try step()
    }
  }

  private func reconnect() throws {
    client = try room.client(isSecure: isSecure)
    state = .idle
  }

  private func choose() {
    let deed = Deed.allCases[Int(random.next(below: UInt64(Deed.allCases.count)))]
    let index = Int(random.next(below: UInt64(material.ids.count)))
    let bytes = request(deed, index)
    var parts: [[UInt8]] = []
    var start = 0
    for _ in 0..<random.next(below: 4) where start < bytes.count {
      let end = start + 1 + Int(random.next(below: UInt64(bytes.count - start)))
      parts.append(Array(bytes[start..<end]))
      start = end
    }
    let isCut = random.next(below: 3) == 0 && !parts.isEmpty
    if !isCut, start < bytes.count { parts.append(Array(bytes[start...])) }
    state = .sending(deed, index, parts: parts, isCut: isCut)
  }

  private func request(_ deed: Deed, _ index: Int) -> [UInt8] {
    let (id, content) = (material.ids[index], material.content(index))
    switch deed {
    case .create:
      return client.head(
        "POST", client.path(),
        [
          ("Attachment-Id", id.uuidString), ("Tus-Resumable", "1.0.0"), ("Upload-Length", "\(content.count)"),
        ], .length, length: 0)
    case .patch:
      let offset = min(offsets[index] ?? 0, content.count)
      let rest = Array(content[offset...])
      return client.head(
        "PATCH", client.path(of: id), JournalClient.pieceFields(at: offset), .length, length: rest.count)
        + rest
    case .add:
      return client.head("POST", client.path(), JournalClient.fileFields(id), .length, length: content.count)
        + content
    case .addInChunks:
      return client.head("POST", client.path(), JournalClient.fileFields(id), .chunked, length: 0)
        + JournalClient.framed(content, .chunked)
    case .remove: return client.http.head("DELETE", client.path(of: id))
    case .read: return client.http.head("GET", client.path(of: id))
    case .status: return client.http.head("HEAD", client.path(of: id), ["Tus-Resumable": "1.0.0"])
    }
  }

  /// Waits for the response, and checks that its status is one that PROTOCOL allows.
  private func receive(_ deed: Deed, _ index: Int) throws {
    let method = deed == .status ? "HEAD" : "GET"
    let answer: HTTPClient.Response
    do {
      answer = try client.http.response(to: method)
    } catch ClientError.streamEnded where deed.isOvertaken {
      return try reconnect()
    } catch ClientError.broken where deed.isOvertaken {
      return try reconnect()
    }
    let content = material.content(index)
    let possible =
      switch deed {
      // 404 or 409: another request removed or replaced the upload before this request was answered.
      case .create, .add, .addInChunks: [201, 404, 409]
      case .patch: [204, 404, 409]
      case .remove: [204, 404]
      case .read: [200, 404, 409]
      case .status: [200, 404]
      }
    #expect(possible.contains(answer.status), "\(deed): \(answer.status) \(answer.text)")
    if deed == .read, answer.status == 200 { #expect(answer.body == content) }
    if let offset = answer.field("Upload-Offset").flatMap({ Int($0) }) {
      #expect(offset <= content.count)
      offsets[index] = offset
    } else if answer.status == 404 {
      offsets[index] = nil
    }
    if answer.field("Connection") == "close" {
      try reconnect()
    } else {
      state = .idle
    }
  }
}
