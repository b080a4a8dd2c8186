/// What is said of a kind that is known here.
struct Declaration: Sendable {
  let identifier: String
  /// What it conforms to directly.
  let parents: [String]
  /// The preferred one first, in lower case.
  let filenameExtensions: [String]
  /// The preferred one first, in lower case.
  let mediaTypes: [String]

  private init(_ identifier: String, _ parents: [String], _ extensions: [String], _ mediaTypes: [String]) {
    self.identifier = identifier
    self.parents = parents
    filenameExtensions = extensions
    self.mediaTypes = mediaTypes
  }

  /// That of an identifier, whose case does not matter.
  static func named(_ identifier: String) -> Declaration? {
    byIdentifier[identifier] ?? byIdentifier[identifier.lowercased()]
  }

  private static let byIdentifier = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })

  /// All of them, the more usual first.
  static let all = [
    Declaration("public.item", [], [], []),
    Declaration("public.content", [], [], []),
    Declaration("public.data", ["public.item"], [], ["application/octet-stream"]),
    Declaration("public.composite-content", ["public.content"], [], []),
    Declaration("public.directory", ["public.item"], [], []),
    Declaration("public.folder", ["public.directory"], [], []),
    Declaration("public.url", ["public.data"], [], []),
    Declaration("public.file-url", ["public.url"], [], []),
    Declaration("public.text", ["public.data", "public.content"], [], []),
    Declaration("public.plain-text", ["public.text"], ["txt", "text"], ["text/plain"]),
    Declaration("public.utf8-plain-text", ["public.plain-text"], [], ["text/plain;charset=utf-8"]),
    Declaration("public.utf16-plain-text", ["public.plain-text"], [], ["text/plain;charset=utf-16"]),
    Declaration("public.delimited-values-text", ["public.text"], [], []),
    Declaration(
      "public.comma-separated-values-text", ["public.delimited-values-text"], ["csv"],
      ["text/csv", "text/comma-separated-values"]),
    Declaration(
      "public.tab-separated-values-text", ["public.delimited-values-text"], ["tsv"],
      ["text/tab-separated-values"]),
    Declaration("public.rtf", ["public.text"], ["rtf"], ["text/rtf", "application/rtf"]),
    Declaration("public.html", ["public.text"], ["html", "htm"], ["text/html"]),
    Declaration("public.xml", ["public.text"], ["xml"], ["application/xml", "text/xml"]),
    Declaration(
      "public.yaml", ["public.text"], ["yaml", "yml"], ["application/x-yaml", "application/yaml"]),
    Declaration("public.css", ["public.text"], ["css"], ["text/css"]),
    Declaration("public.json", ["public.text"], ["json"], ["application/json"]),
    Declaration(
      "com.netscape.javascript-source", ["public.source-code"], ["js", "mjs"],
      ["text/javascript", "application/javascript"]),
    Declaration("public.source-code", ["public.plain-text"], [], []),
    Declaration("public.swift-source", ["public.source-code"], ["swift"], ["text/x-swift"]),
    Declaration("com.apple.property-list", ["public.data"], ["plist"], []),
    Declaration("com.apple.xml-property-list", ["public.xml", "com.apple.property-list"], [], []),
    Declaration("com.apple.binary-property-list", ["com.apple.property-list"], [], []),
    Declaration("com.adobe.pdf", ["public.data", "public.composite-content"], ["pdf"], ["application/pdf"]),
    Declaration("public.image", ["public.data", "public.content"], [], []),
    Declaration("public.png", ["public.image"], ["png"], ["image/png"]),
    Declaration("public.jpeg", ["public.image"], ["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"]),
    Declaration("com.compuserve.gif", ["public.image"], ["gif"], ["image/gif"]),
    Declaration("org.webmproject.webp", ["public.image"], ["webp"], ["image/webp"]),
    Declaration("public.heif", ["public.image"], ["heif"], ["image/heif"]),
    Declaration("public.heic", ["public.heif"], ["heic"], ["image/heic"]),
    Declaration("public.avif", ["public.image"], ["avif"], ["image/avif"]),
    Declaration("public.tiff", ["public.image"], ["tiff", "tif"], ["image/tiff"]),
    Declaration("com.microsoft.bmp", ["public.image"], ["bmp"], ["image/bmp", "image/x-ms-bmp"]),
    Declaration(
      "com.microsoft.ico", ["public.image"], ["ico"],
      ["image/vnd.microsoft.icon", "image/x-icon"]),
    Declaration("public.camera-raw-image", ["public.image"], [], []),
    Declaration("public.svg-image", ["public.image", "public.xml"], ["svg"], ["image/svg+xml"]),
    Declaration("public.audiovisual-content", ["public.data", "public.content"], [], []),
    Declaration("public.audio", ["public.audiovisual-content"], [], []),
    Declaration("public.mp3", ["public.audio"], ["mp3"], ["audio/mpeg", "audio/mp3"]),
    Declaration(
      "com.microsoft.waveform-audio", ["public.audio"], ["wav"],
      ["audio/vnd.wave", "audio/wav", "audio/x-wav"]),
    Declaration("public.aiff-audio", ["public.audio"], ["aiff", "aif"], ["audio/aiff", "audio/x-aiff"]),
    Declaration("public.mpeg-4-audio", ["public.audio"], ["m4a"], ["audio/mp4", "audio/x-m4a"]),
    Declaration("public.movie", ["public.audiovisual-content"], [], []),
    Declaration("public.video", ["public.movie"], [], []),
    Declaration("public.mpeg", ["public.movie"], ["mpg", "mpeg"], ["video/mpeg"]),
    Declaration("public.mpeg-4", ["public.movie"], ["mp4"], ["video/mp4"]),
    Declaration("com.apple.quicktime-movie", ["public.movie"], ["mov", "qt"], ["video/quicktime"]),
    Declaration("public.avi", ["public.movie"], ["avi"], ["video/avi", "video/x-msvideo"]),
    Declaration("public.archive", ["public.data"], [], []),
    Declaration("public.zip-archive", ["public.archive"], ["zip"], ["application/zip"]),
    Declaration(
      "org.gnu.gnu-zip-archive", ["public.archive"], ["gz"],
      ["application/gzip", "application/x-gzip"]),
    Declaration("public.bzip2-archive", ["public.archive"], ["bz2"], ["application/x-bzip2"]),
    Declaration(
      "org.idpf.epub-container", ["public.data", "public.composite-content"], ["epub"],
      ["application/epub+zip"]),
    Declaration("public.vcard", ["public.text"], ["vcf"], ["text/vcard"]),
    Declaration(
      "com.pixar.universal-scene-description-mobile", ["public.data"], ["usdz"],
      ["model/vnd.usdz+zip"]),
    Declaration("public.font", ["public.data"], [], []),
    Declaration("public.executable", ["public.data"], [], []),
  ]
}
