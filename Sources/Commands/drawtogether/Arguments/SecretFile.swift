internal import Gateway
internal import Glibc
internal import Platform

/// A secret in a file of its own, as Docker and Kubernetes hand secrets to a process.
enum SecretFile {
  /// Why a file gives no secret; its words are one sentence that names the setting and the file, and nothing that is in it.
  enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(path: String, SystemError)
    case noToken(path: String)

    var description: String {
      switch self {
      case .unreadable(let path, let error):
        "--metrics-token-file \(path) cannot be read (\(error)): it takes the name of a file with the token in it."
      case .noToken(let path):
        "--metrics-token-file \(path) holds no token: that is 1 to 256 visible ASCII characters, in one line."
      }
    }
  }

  /// A configuration whose token is read from the file that it names, if it names one.
  static func readToken(of configuration: GatewayConfiguration) throws(Fault) -> GatewayConfiguration
  {
    guard let path = configuration.metricsTokenFile else { return configuration }
    var text = try read(path)
    // One end of a line is the editor's, and not the secret's.
    if text.last?.isNewline == true { text.removeLast() }
    guard let token = SettingValue.token(text) else { throw .noToken(path: path) }
    var configuration = configuration
    configuration.metricsToken = token
    return configuration
  }

  private static func read(_ path: String) throws(Fault) -> String {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw .unreadable(path: path, SystemError("open", code: errno)) }
    let file = OwnedDescriptor(owning: number)
    // One more than the longest token with the end of its line needs.
    var bytes = [UInt8](repeating: 0, count: 259)
    var length = 0
    while length < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(file.rawValue, buffer.baseAddress.map { unsafe $0 + length }, buffer.count - length)
      }
      if count == 0 { break }
      guard count > 0 || errno == EINTR else {
        throw .unreadable(path: path, SystemError("read", code: errno))
      }
      length += max(0, count)
    }
    return String(decoding: bytes[..<length], as: UTF8.self)
  }
}
