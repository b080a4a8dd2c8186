/// A request method (RFC 9110 §9). Case matters: `get` is an unknown method.
package enum Method: Equatable, Hashable, Sendable {
  case get
  case head
  case post
  case put
  case patch
  case delete
  case options
  /// Any other token; the caller responds with 501.
  case other(String)

  /// Creates a method from its name.
  ///
  /// - Parameter name: the method as in the request line.
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

  /// The method as in the request line and in `Allow`.
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
