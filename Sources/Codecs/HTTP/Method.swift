/// A request method (RFC 9110 §9). Case counts: `get` is none that we know.
package enum Method: Equatable, Hashable, Sendable {
  case get
  case head
  case post
  case put
  case patch
  case delete
  case options
  /// Any other token, which the caller answers with 501.
  case other(String)

  /// - Parameter name: the method as it stands in the request line.
  package init(_ name: String) {
    self =
      switch name {
      case "GET": .get
      case "HEAD": .head
      case "POST": .post
      case "PUT": .put
      case "PATCH": .patch
      case "DELETE": .delete
      case "OPTIONS": .options
      default: .other(name)
      }
  }

  /// The method as it stands in the request line and in `Allow`.
  package var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }
}
