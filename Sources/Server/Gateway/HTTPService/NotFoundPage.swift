internal import HTTP
internal import Platform

/// The page that a browser gets at an address without a resource. The page loads no other file.
enum NotFoundPage {
  /// The pages by their languages.
  private static let pages = Dictionary(
    uniqueKeysWithValues: NotFoundText.all.map { ($0.language, Array(html($0).utf8)) })

  /// The style sheet. Its colors and sizes are those of the drawing page (`css/page.css`).
  private static let style = """
    :root { color-scheme: light dark; --paper: #fbfaf7; --text: #1d1d20; --soft: #5f5e63; }
    :root { --accent: #4453d6; --on-accent: #fff; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #17181c; --text: #f1f1f3; --soft: #a9abb3; --accent: #8b98ff; --on-accent: #12131a; }
    }
    body { display: grid; place-items: center; min-height: 100vh; margin: 0; }
    body { background: var(--paper); color: var(--text); font: 17px/1.45 system-ui, sans-serif; }
    main { max-width: 26em; padding: 24px; text-align: center; }
    h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; }
    p { margin: 0 0 20px; color: var(--soft); }
    a { display: inline-block; padding: 11px 20px; border: 1px solid transparent; border-radius: 12px; }
    a { background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none; }
    a:focus-visible { outline: 2.5px solid var(--accent); outline-offset: 2px; }
    """

  /// The policy of the page. In addition to the policy of other responses, it allows the inline style sheet.
  private static let policy: String = {
    let bytes = Array(style.utf8)
    let hash = "sha256-" + Base64.encode(SHA256Digest(of: bytes.span).bytes)
    return SecurityFields.policy(allowing: InlineHashes(styles: [hash]))
  }()

  /// Returns the answer with status 404, in the language that the browser prefers.
  static func answer(to head: RequestHead) -> Answer {
    let wanted = Preferences("Accept-Language", of: head.fields)
    let language = wanted.language(among: Array(pages.keys)) ?? NotFoundText.english.language
    var answer = Answer(.notFound, fields: ["Content-Type": "text/html; charset=utf-8"])
    answer.head.fields.append("Content-Language", language)
    answer.head.fields.append("Content-Security-Policy", policy)
    answer.head.fields.append("Cache-Control", "no-store")
    answer.head.fields.append("Vary", "Accept, Accept-Language")
    answer.bytes = pages[language] ?? []
    answer.range = answer.bytes.indices
    return answer
  }

  private static func html(_ words: NotFoundText) -> String {
    """
    <!doctype html>
    <html lang="\(words.language)"\(words.isFromRight ? " dir=\"rtl\"" : "")>
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>\(words.title) – Draw Together</title>
    <style>\(style)</style>
    </head>
    <body>
    <main>
    <h1>\(words.title)</h1>
    <p>\(words.text)</p>
    <a href="/">\(words.action)</a>
    </main>
    </body>
    </html>

    """
  }
}

extension Answer {
  /// Returns the answer to a request whose path has no resource: a page if a browser opens the address, and problem details for
  /// all other clients.
  static func nothingHere(for head: RequestHead) -> Answer {
    guard head.method == .get || head.method == .head else { return .nothingHere }
    let accepted = Preferences("Accept", of: head.fields)
    let weight = accepted.weight(ofMediaType: "text/html")
    let others = ["application/problem+json", "application/json"].map { accepted.weight(ofMediaType: $0) }
    return others.allSatisfy { weight > $0 } ? NotFoundPage.answer(to: head) : .nothingHere
  }
}
