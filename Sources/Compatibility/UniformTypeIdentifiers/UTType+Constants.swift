extension UTType {
  /// Any item that can be stored.
  public static let item = UTType(identifier: "public.item")
  /// Any document content.
  public static let content = UTType(identifier: "public.content")
  /// Data of any kind.
  public static let data = UTType(identifier: "public.data")
  /// Content that combines several kinds, such as a document.
  public static let compositeContent = UTType(identifier: "public.composite-content")
  /// A directory of any kind.
  public static let directory = UTType(identifier: "public.directory")
  /// A directory that users see as a folder.
  public static let folder = UTType(identifier: "public.folder")
  /// A URL.
  public static let url = UTType(identifier: "public.url")
  /// The URL of a file.
  public static let fileURL = UTType(identifier: "public.file-url")
  /// Text of any kind.
  public static let text = UTType(identifier: "public.text")
  /// Text without markup.
  public static let plainText = UTType(identifier: "public.plain-text")
  /// Text without markup, in UTF-8.
  public static let utf8PlainText = UTType(identifier: "public.utf8-plain-text")
  /// Text without markup, in UTF-16.
  public static let utf16PlainText = UTType(identifier: "public.utf16-plain-text")
  /// Text that consists of values with separators between them.
  public static let delimitedText = UTType(identifier: "public.delimited-values-text")
  /// Values separated by commas.
  public static let commaSeparatedText = UTType(identifier: "public.comma-separated-values-text")
  /// Values separated by tabs.
  public static let tabSeparatedText = UTType(identifier: "public.tab-separated-values-text")
  /// Rich text.
  public static let rtf = UTType(identifier: "public.rtf")
  /// HTML.
  public static let html = UTType(identifier: "public.html")
  /// XML.
  public static let xml = UTType(identifier: "public.xml")
  /// YAML.
  public static let yaml = UTType(identifier: "public.yaml")
  /// A style sheet.
  public static let css = UTType(identifier: "public.css")
  /// JSON.
  public static let json = UTType(identifier: "public.json")
  /// JavaScript source code.
  public static let javaScript = UTType(identifier: "com.netscape.javascript-source")
  /// Source code.
  public static let sourceCode = UTType(identifier: "public.source-code")
  /// Swift source code.
  public static let swiftSource = UTType(identifier: "public.swift-source")
  /// A property list.
  public static let propertyList = UTType(identifier: "com.apple.property-list")
  /// A property list in XML.
  public static let xmlPropertyList = UTType(identifier: "com.apple.xml-property-list")
  /// A property list in binary form.
  public static let binaryPropertyList = UTType(identifier: "com.apple.binary-property-list")
  /// PDF.
  public static let pdf = UTType(identifier: "com.adobe.pdf")
  /// An image of any kind.
  public static let image = UTType(identifier: "public.image")
  /// PNG.
  public static let png = UTType(identifier: "public.png")
  /// JPEG.
  public static let jpeg = UTType(identifier: "public.jpeg")
  /// GIF.
  public static let gif = UTType(identifier: "com.compuserve.gif")
  /// WebP.
  public static let webP = UTType(identifier: "org.webmproject.webp")
  /// HEIF.
  public static let heif = UTType(identifier: "public.heif")
  /// HEIC.
  public static let heic = UTType(identifier: "public.heic")
  /// AVIF.
  public static let avif = UTType(identifier: "public.avif")
  /// TIFF.
  public static let tiff = UTType(identifier: "public.tiff")
  /// BMP.
  public static let bmp = UTType(identifier: "com.microsoft.bmp")
  /// A Windows icon.
  public static let ico = UTType(identifier: "com.microsoft.ico")
  /// A raw image of a camera.
  public static let rawImage = UTType(identifier: "public.camera-raw-image")
  /// SVG.
  public static let svg = UTType(identifier: "public.svg-image")
  /// Audio or video of any kind.
  public static let audiovisualContent = UTType(identifier: "public.audiovisual-content")
  /// Audio of any kind.
  public static let audio = UTType(identifier: "public.audio")
  /// MP3.
  public static let mp3 = UTType(identifier: "public.mp3")
  /// WAV.
  public static let wav = UTType(identifier: "com.microsoft.waveform-audio")
  /// AIFF.
  public static let aiff = UTType(identifier: "public.aiff-audio")
  /// MPEG-4 audio.
  public static let mpeg4Audio = UTType(identifier: "public.mpeg-4-audio")
  /// Video, with or without audio.
  public static let movie = UTType(identifier: "public.movie")
  /// Video without audio.
  public static let video = UTType(identifier: "public.video")
  /// MPEG-1 or MPEG-2.
  public static let mpeg = UTType(identifier: "public.mpeg")
  /// MPEG-4.
  public static let mpeg4Movie = UTType(identifier: "public.mpeg-4")
  /// QuickTime.
  public static let quickTimeMovie = UTType(identifier: "com.apple.quicktime-movie")
  /// AVI.
  public static let avi = UTType(identifier: "public.avi")
  /// An archive of files.
  public static let archive = UTType(identifier: "public.archive")
  /// ZIP.
  public static let zip = UTType(identifier: "public.zip-archive")
  /// gzip.
  public static let gzip = UTType(identifier: "org.gnu.gnu-zip-archive")
  /// bzip2.
  public static let bz2 = UTType(identifier: "public.bzip2-archive")
  /// EPUB.
  public static let epub = UTType(identifier: "org.idpf.epub-container")
  /// A contact in the vCard format.
  public static let vCard = UTType(identifier: "public.vcard")
  /// A USDZ scene.
  public static let usdz = UTType(identifier: "com.pixar.universal-scene-description-mobile")
  /// A font.
  public static let font = UTType(identifier: "public.font")
  /// An executable program.
  public static let executable = UTType(identifier: "public.executable")
}
