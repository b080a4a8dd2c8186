import Foundation
import Testing
import UniformTypeIdentifiers

@Suite("UTType finds types by media type or file name extension, and knows their supertypes")
struct UTTypeTests {
  @Test(
    "a known type is found by media type and by file name extension, and conforms to its supertype",
    arguments: [
      ("image/png", "png", UTType.png, UTType.image), ("image/jpeg", "jpeg", .jpeg, .image),
      ("image/gif", "gif", .gif, .image), ("image/webp", "webp", .webP, .image),
      ("image/heic", "heic", .heic, .image), ("image/svg+xml", "svg", .svg, .text),
      ("application/pdf", "pdf", .pdf, .compositeContent), ("application/json", "json", .json, .text),
      ("text/plain", "txt", .plainText, .text), ("video/mp4", "mp4", .mpeg4Movie, .movie),
      ("audio/mpeg", "mp3", .mp3, .audio), ("application/zip", "zip", .zip, .archive),
    ])
  func known(mediaType: String, fileExtension: String, type: UTType, supertype: UTType) {
    #expect(UTType(mimeType: mediaType) == type)
    #expect(UTType(mimeType: mediaType.uppercased() + "; q=1") == type)
    #expect(UTType(filenameExtension: fileExtension.uppercased()) == type)
    #expect(UTType(type.identifier) == type)
    #expect(type.preferredMIMEType == mediaType)
    #expect(type.preferredFilenameExtension == fileExtension)
    #expect(type.conforms(to: supertype) && type.conforms(to: .data) && type.conforms(to: type))
    #expect(!supertype.conforms(to: type) && !type.isSubtype(of: type))
    #expect(type.isDeclared && !type.isDynamic)
  }

  @Test(
    "an unknown media type or file name extension gives a dynamic type, which keeps the media type in lower case"
  )
  func dynamic() throws {
    let type = try #require(UTType(mimeType: "Model/X.Y-z"))
    #expect(type.isDynamic && !type.isDeclared)
    #expect(type.preferredMIMEType == "model/x.y-z")
    #expect(type.conforms(to: .data) && !type.conforms(to: .image))
    #expect(try #require(UTType(filenameExtension: "blend", conformingTo: .image)).conforms(to: .image))
    #expect(UTType(filenameExtension: "png", conformingTo: .text) == nil)
    for wrong in ["", "image", "image/", "/png", "a/b/c", "a b/c\n", "im age/png!@"] {
      #expect(UTType(mimeType: wrong)?.identifier == nil, "\(wrong.debugDescription) is not a media type")
    }
    #expect(UTType("org.example.unknown") == nil)
  }

  @Test("a type that the program declares conforms to its supertype, and is encoded as its identifier")
  func exported() throws {
    let type = UTType(exportedAs: "org.example.board", conformingTo: .json)
    #expect(type.conforms(to: .json) && type.conforms(to: .text) && type.preferredMIMEType == nil)
    let data = try JSONEncoder().encode([type, .png])
    #expect(String(decoding: data, as: UTF8.self) == #"["org.example.board","public.png"]"#)
    #expect(try JSONDecoder().decode([UTType].self, from: data) == [type, .png])
  }
}
