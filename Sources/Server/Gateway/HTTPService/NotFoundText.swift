/// The texts of the page that a browser gets at an address without a resource, in the languages of the drawing page
/// (`js/i18n/languages.js`). All but English and German were translated by machine.
struct NotFoundText: Sendable {
  let language: String
  let title: String
  let text: String
  let action: String

  /// True if the language is written from right to left.
  var isFromRight: Bool { language == "ar" }

  static let english = NotFoundText(
    language: "en", title: "There is nothing at this address",
    text: "The address may be wrong or incomplete. If someone sent it to you, ask for the link again.",
    action: "Open a page to draw on")

  static let all = [
    english,
    NotFoundText(
      language: "de", title: "Unter dieser Adresse ist nichts",
      text: "Vielleicht ist die Adresse falsch oder unvollständig. "
        + "Hat sie dir jemand geschickt, lass dir den Link noch einmal geben.",
      action: "Eine Seite zum Zeichnen öffnen"),
    NotFoundText(
      language: "es", title: "No hay nada en esta dirección",
      text: "Puede que la dirección sea incorrecta o esté incompleta. "
        + "Si alguien te la envió, pide el enlace otra vez.",
      action: "Abrir una página para dibujar"),
    NotFoundText(
      language: "fr", title: "Il n’y a rien à cette adresse",
      text: "L’adresse est peut-être fausse ou incomplète. Si quelqu’un te l’a envoyée, redemande le lien.",
      action: "Ouvrir une page pour dessiner"),
    NotFoundText(
      language: "it", title: "A questo indirizzo non c’è nulla",
      text:
        "Forse l’indirizzo è sbagliato o incompleto. Se te l’ha mandato qualcuno, chiedi di nuovo il link.",
      action: "Apri una pagina su cui disegnare"),
    NotFoundText(
      language: "pl", title: "Pod tym adresem nic nie ma",
      text: "Adres może być błędny lub niepełny. Jeśli ktoś ci go wysłał, poproś o link jeszcze raz.",
      action: "Otwórz stronę do rysowania"),
    NotFoundText(
      language: "pt", title: "Não há nada neste endereço",
      text: "O endereço pode estar errado ou incompleto. Se alguém o enviou para você, peça o link de novo.",
      action: "Abrir uma página para desenhar"),
    NotFoundText(
      language: "uk", title: "За цією адресою нічого немає",
      text: "Можливо, адреса неправильна або неповна. Якщо її хтось надіслав, попросіть посилання ще раз.",
      action: "Відкрити сторінку для малювання"),
    NotFoundText(
      language: "ar", title: "لا يوجد شيء في هذا العنوان",
      text: "ربما يكون العنوان خاطئًا أو ناقصًا. إذا أرسله إليك أحد، فاطلب الرابط مرة أخرى.",
      action: "افتح صفحة للرسم"),
    NotFoundText(
      language: "ja", title: "このアドレスには何もありません",
      text: "アドレスが間違っているか、途中で切れている可能性があります。誰かから届いた場合は、もう一度リンクを送ってもらってください。",
      action: "お絵かきのページを開く"),
  ]
}
