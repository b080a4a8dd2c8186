internal import HTTP
internal import Platform
internal import Primitives

/// Encodes the heads of answers, and adds the fields that all answers have.
final class AnswerEncoder {
  private let origins: Origins
  private let sendsStrictTransportSecurity: Bool
  private let time: () -> WallTime
  /// The present date as text, updated once a second.
  private var date = (seconds: Int64(0), text: "")

  /// Creates an encoder. `time` reads the wall clock.
  init(_ configuration: GatewayConfiguration, time: @escaping () -> WallTime = { .now() }) {
    origins = Origins(configuration)
    sendsStrictTransportSecurity = configuration.sendsStrictTransportSecurity
    self.time = time
  }

  /// Encodes the head of an answer.
  ///
  /// - Parameters:
  ///   - answer: the answer.
  ///   - head: the head of the request; nil if it could not be read.
  ///   - route: the route of the request, if known.
  ///   - client: the client, if known.
  ///   - isSecure: true on a TLS connection. If `client` is not nil, `client.isSecure` is used instead.
  ///   - closes: true when the connection is closed after the answer.
  /// - Returns: the bytes of the head.
  func encode(
    _ answer: Answer, for head: RequestHead?, route: Route? = nil, from client: ForwardedClient? = nil,
    isSecure: Bool, closes: Bool
  ) -> [UInt8] {
    var answer = answer
    if let head, case .allowed(let origin) = origins.verdict(on: head, forwarded: client?.authority) {
      answer.head.fields.append("Access-Control-Allow-Origin", origin)
      answer.head.fields.append("Access-Control-Expose-Headers", AttachmentFields.exposed(for: route))
      answer.head.fields.append("Vary", "Origin")
    }
    if route?.isForAttachments ?? false {
      AttachmentFields.add(to: &answer, for: head)
      // An answer without CORS fields needs `Vary: Origin` too. Otherwise, a cache could return this answer to a page of another
      // allowed site, which needs the CORS fields.
      if origins.allowsOthers { answer.head.fields.set("Vary", "Origin") }
    }
    var response = answer.head
    response.fields.append("Date", currentDate)
    if !response.status.forbidsContent, !answer.hasUnknownLength,
      response.fields.first("Content-Length") == nil
    {
      response.fields.append("Content-Length", "\(answer.range.count)")
    }
    if closes {
      response.fields.append("Connection", "close")
    } else if head?.minorVersion == 0 {
      response.fields.append("Connection", "keep-alive")
    }
    let isSecure = client?.isSecure ?? isSecure
    SecurityFields.add(
      to: &response, isSecure: isSecure, withTransportSecurity: isSecure && sendsStrictTransportSecurity)
    var bytes: [UInt8] = []
    response.append(to: &bytes)
    return bytes
  }

  private var currentDate: String {
    let seconds = time().secondsSince1970
    if date.seconds != seconds {
      date = (seconds, HTTPDate(secondsSinceEpoch: Int(seconds)).description)
    }
    return date.text
  }
}
