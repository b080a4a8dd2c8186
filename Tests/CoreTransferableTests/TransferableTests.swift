import CoreGraphics
import CoreTransferable
import Foundation
import Testing
import UniformTypeIdentifiers

struct Picture: Transferable, Equatable {
  var bytes: Data

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .png) { picture in
      picture.bytes
    } importing: { data in
      Picture(bytes: data)
    }
    DataRepresentation(importedContentType: .image) { Picture(bytes: Data([0]) + $0) }
    DataRepresentation(exportedContentType: .jpeg) { _ in Data() }
  }
}

struct Note: Codable, Transferable, Equatable {
  var text: String
  var at: CGPoint

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json)
      .suggestedFileName { "\($0.text).json" }
    ProxyRepresentation(exporting: \.text)
  }
}

struct Label: Transferable, Equatable {
  var text: String

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(exportedContentType: .png) { _ in Data([1]) }
      .exportingCondition { $0.text.isEmpty }
    ProxyRepresentation {
      $0.text
    } importing: {
      Label(text: $0)
    }
  }
}

struct Drawing: Transferable, Equatable {
  var text: String

  static var transferRepresentation: some TransferRepresentation {
    FileRepresentation(contentType: .svg) { drawing in
      let file = FileManager.default.temporaryDirectory.appending(path: "drawing-\(UUID().uuidString).svg")
      try Data(drawing.text.utf8).write(to: file)
      return SentTransferredFile(file)
    } importing: { received in
      #expect(received.file.pathExtension == "svg")
      return Drawing(text: try String(contentsOf: received.file, encoding: .utf8))
    }
  }
}

@Suite("Transferable values are exported and imported by their representations")
struct TransferableTests {
  @Test("Data, String and URL are exported and imported unchanged")
  func ownTypes() async throws {
    let data = try await Data([1, 2]).exported()
    #expect(data.data == Data([1, 2]))
    #expect(data.mediaType == "application/octet-stream")
    #expect(try await Data.imported(from: data.data, mediaType: "image/png") == data.data)
    #expect(try await Data.imported(from: data.data, mediaType: "no media type") == data.data)

    let text = try await "Grüße".exported()
    #expect(text.contentType == .utf8PlainText)
    #expect(text.mediaType == "text/plain;charset=utf-8")
    #expect(try await String.imported(from: text.data, mediaType: text.mediaType) == "Grüße")
    #expect(try await String.imported(from: text.data, mediaType: "text/html") == "Grüße")
    await #expect(throws: TransferError.malformed(type: "String", contentType: "public.text")) {
      try await String.imported(from: Data([0xff]), mediaType: "text/plain")
    }

    let url = try #require(URL(string: "https://example.org/s/1?a=b"))
    let sent = try await url.exported()
    #expect(try await URL.imported(from: sent.data, contentType: .url) == url)
  }

  @Test(
    "a value is exported by its first representation; data are imported by the representation for their type or a supertype of it"
  )
  func dataRepresentations() async throws {
    let picture = Picture(bytes: Data([5, 6]))
    let content = try await picture.exported()
    #expect(content.contentType == .png)
    #expect(try await Picture.imported(from: content.data, mediaType: "image/png") == picture)
    #expect(try await Picture.imported(from: content.data, mediaType: "image/webp").bytes == Data([0, 5, 6]))
    #expect(try await Picture.imported(from: content.data, mediaType: "application/octet-stream") == picture)
    await #expect(throws: TransferError.notImported(type: "Picture", contentType: "public.mp3")) {
      try await Picture.imported(from: content.data, mediaType: "audio/mpeg")
    }
  }

  @Test("a Codable value is exported as JSON; a CGPoint in it becomes an array of two numbers")
  func codable() async throws {
    let note = Note(text: "hello", at: CGPoint(x: 1, y: 2.5))
    let content = try await note.exported()
    #expect(content.contentType == .json)
    #expect(content.suggestedFileName == "hello.json")
    #expect(String(decoding: content.data, as: UTF8.self).contains(#""at":[1,2.5]"#))
    #expect(try await Note.imported(from: content.data, mediaType: "application/json") == note)
  }

  @Test(
    "if the exporting condition of a representation is false, the value is exported by the next representation, here a proxy"
  )
  func proxy() async throws {
    let content = try await Label(text: "hi").exported()
    #expect(content.contentType == .utf8PlainText)
    #expect(try await Label.imported(from: content.data, mediaType: content.mediaType) == Label(text: "hi"))
    #expect(try await Label(text: "").exported().contentType == .png)
  }

  @Test("a file is exported with its content and name, and a value is imported from a file")
  func file() async throws {
    let content = try await Drawing(text: "<svg/>").exported()
    #expect(content.mediaType == "image/svg+xml")
    #expect(content.suggestedFileName?.hasSuffix(".svg") == true)
    #expect(String(decoding: content.data, as: UTF8.self) == "<svg/>")
    #expect(try await Drawing.imported(from: content.data, mediaType: "image/svg+xml").text == "<svg/>")
  }
}
