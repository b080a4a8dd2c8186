/// The declaration of a type in the table of known types (`all`).
struct TypeDeclaration: Sendable {
  let identifier: String
  /// The identifiers of the types to which this type conforms directly.
  let parents: [String]
  /// The file name extensions in lower case, the preferred one first.
  let filenameExtensions: [String]
  /// The media types in lower case, the preferred one first.
  let mediaTypes: [String]

  private init(_ identifier: String, _ parents: [String], _ extensions: [String], _ mediaTypes: [String]) {
    self.identifier = identifier
    self.parents = parents
    filenameExtensions = extensions
    self.mediaTypes = mediaTypes
  }

  /// Returns the declaration of an identifier, which is compared case-insensitively.
  static func named(_ identifier: String) -> TypeDeclaration? {
    byIdentifier[identifier] ?? byIdentifier[identifier.lowercased()]
  }

  private static let byIdentifier = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })

  /// The table of known types. If several declarations match a media type or an extension, the first is used.
  static let all = [
    TypeDeclaration("public.item", [], [], []),
    TypeDeclaration("public.content", [], [], []),
    TypeDeclaration("public.data", ["public.item"], [], ["application/octet-stream"]),
    TypeDeclaration("public.composite-content", ["public.content"], [], []),
    TypeDeclaration("public.directory", ["public.item"], [], []),
    TypeDeclaration("public.folder", ["public.directory"], [], []),
    TypeDeclaration("public.url", ["public.data"], [], []),
    TypeDeclaration("public.file-url", ["public.url"], [], []),
    TypeDeclaration("public.text", ["public.data", "public.content"], [], []),
    TypeDeclaration("public.plain-text", ["public.text"], ["txt", "text"], ["text/plain"]),
    TypeDeclaration("public.utf8-plain-text", ["public.plain-text"], [], ["text/plain;charset=utf-8"]),
    TypeDeclaration("public.utf16-plain-text", ["public.plain-text"], [], ["text/plain;charset=utf-16"]),
    TypeDeclaration("public.delimited-values-text", ["public.text"], [], []),
    TypeDeclaration(
      "public.comma-separated-values-text", ["public.delimited-values-text"], ["csv"],
      ["text/csv", "text/comma-separated-values"]),
    TypeDeclaration(
      "public.tab-separated-values-text", ["public.delimited-values-text"], ["tsv"],
      ["text/tab-separated-values"]),
    TypeDeclaration("public.rtf", ["public.text"], ["rtf"], ["text/rtf", "application/rtf"]),
    TypeDeclaration("public.html", ["public.text"], ["html", "htm"], ["text/html"]),
    TypeDeclaration("public.xml", ["public.text"], ["xml"], ["application/xml", "text/xml"]),
    TypeDeclaration(
      "public.yaml", ["public.text"], ["yaml", "yml"], ["application/x-yaml", "application/yaml"]),
    TypeDeclaration("public.css", ["public.text"], ["css"], ["text/css"]),
    TypeDeclaration("public.json", ["public.text"], ["json"], ["application/json"]),
    TypeDeclaration(
      "com.netscape.javascript-source", ["public.source-code"], ["js", "mjs"],
      ["text/javascript", "application/javascript"]),
    TypeDeclaration("public.source-code", ["public.plain-text"], [], []),
    TypeDeclaration("public.swift-source", ["public.source-code"], ["swift"], ["text/x-swift"]),
    TypeDeclaration("com.apple.property-list", ["public.data"], ["plist"], []),
    TypeDeclaration("com.apple.xml-property-list", ["public.xml", "com.apple.property-list"], [], []),
    TypeDeclaration("com.apple.binary-property-list", ["com.apple.property-list"], [], []),
    TypeDeclaration(
      "com.adobe.pdf", ["public.data", "public.composite-content"], ["pdf"], ["application/pdf"]),
    TypeDeclaration("public.image", ["public.data", "public.content"], [], []),
    TypeDeclaration("public.png", ["public.image"], ["png"], ["image/png"]),
    TypeDeclaration("public.jpeg", ["public.image"], ["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"]),
    TypeDeclaration("com.compuserve.gif", ["public.image"], ["gif"], ["image/gif"]),
    TypeDeclaration("org.webmproject.webp", ["public.image"], ["webp"], ["image/webp"]),
    TypeDeclaration("public.heif", ["public.image"], ["heif"], ["image/heif"]),
    TypeDeclaration("public.heic", ["public.heif"], ["heic"], ["image/heic"]),
    TypeDeclaration("public.avif", ["public.image"], ["avif"], ["image/avif"]),
    TypeDeclaration("public.tiff", ["public.image"], ["tiff", "tif"], ["image/tiff"]),
    TypeDeclaration("com.microsoft.bmp", ["public.image"], ["bmp"], ["image/bmp", "image/x-ms-bmp"]),
    TypeDeclaration(
      "com.microsoft.ico", ["public.image"], ["ico"],
      ["image/vnd.microsoft.icon", "image/x-icon"]),
    TypeDeclaration("public.camera-raw-image", ["public.image"], [], []),
    TypeDeclaration("public.svg-image", ["public.image", "public.xml"], ["svg"], ["image/svg+xml"]),
    TypeDeclaration("public.audiovisual-content", ["public.data", "public.content"], [], []),
    TypeDeclaration("public.audio", ["public.audiovisual-content"], [], []),
    TypeDeclaration("public.mp3", ["public.audio"], ["mp3"], ["audio/mpeg", "audio/mp3"]),
    TypeDeclaration(
      "com.microsoft.waveform-audio", ["public.audio"], ["wav"],
      ["audio/vnd.wave", "audio/wav", "audio/x-wav"]),
    TypeDeclaration("public.aiff-audio", ["public.audio"], ["aiff", "aif"], ["audio/aiff", "audio/x-aiff"]),
    TypeDeclaration("public.mpeg-4-audio", ["public.audio"], ["m4a"], ["audio/mp4", "audio/x-m4a"]),
    TypeDeclaration("public.movie", ["public.audiovisual-content"], [], []),
    TypeDeclaration("public.video", ["public.movie"], [], []),
    TypeDeclaration("public.mpeg", ["public.movie"], ["mpg", "mpeg"], ["video/mpeg"]),
    TypeDeclaration("public.mpeg-4", ["public.movie"], ["mp4"], ["video/mp4"]),
    TypeDeclaration("com.apple.quicktime-movie", ["public.movie"], ["mov", "qt"], ["video/quicktime"]),
    TypeDeclaration("public.avi", ["public.movie"], ["avi"], ["video/avi", "video/x-msvideo"]),
    TypeDeclaration("public.archive", ["public.data"], [], []),
    TypeDeclaration("public.zip-archive", ["public.archive"], ["zip"], ["application/zip"]),
    TypeDeclaration(
      "org.gnu.gnu-zip-archive", ["public.archive"], ["gz"],
      ["application/gzip", "application/x-gzip"]),
    TypeDeclaration("public.bzip2-archive", ["public.archive"], ["bz2"], ["application/x-bzip2"]),
    TypeDeclaration(
      "org.idpf.epub-container", ["public.data", "public.composite-content"], ["epub"],
      ["application/epub+zip"]),
    TypeDeclaration("public.vcard", ["public.text"], ["vcf"], ["text/vcard"]),
    TypeDeclaration(
      "com.pixar.universal-scene-description-mobile", ["public.data"], ["usdz"],
      ["model/vnd.usdz+zip"]),
    TypeDeclaration("public.font", ["public.data"], [], []),
    TypeDeclaration("public.executable", ["public.data"], [], []),
  ]
}
