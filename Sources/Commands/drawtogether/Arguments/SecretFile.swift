internal import Gateway
internal import Glibc
internal import Platform

/// A secret in a separate file, as Docker and Kubernetes pass secrets to a process.
enum SecretFile {
  /// An error while reading a secret. The description is one sentence that names the setting and the file, but no content.
  enum ReadError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(path: String, SystemError)
    case noToken(path: String)

    var description: String {
      switch self {
      case .unreadable(let path, let error):
        "--metrics-token-file \(path) cannot be read (\(error)): expected a file that contains the token."
      case .noToken(let path):
        "--metrics-token-file \(path) contains no token: expected 1 to 256 visible ASCII characters in one line."
      }
    }
  }

  /// Returns the configuration with the token from its token file, if it names one.
  static func readToken(of configuration: GatewayConfiguration) throws(ReadError) -> GatewayConfiguration {
    guard let path = configuration.metricsTokenFile else { return configuration }
    var text = try read(path)
    // Editors end a file with a line feed, which is not part of the secret.
    if text.last?.isNewline == true { text.removeLast() }
    guard let token = SettingValue.token(text) else { throw .noToken(path: path) }
    var configuration = configuration
    configuration.metricsToken = token
    return configuration
  }

  private static func read(_ path: String) throws(ReadError) -> String {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw .unreadable(path: path, SystemError("open", code: errno)) }
    let file = OwnedDescriptor(owning: number)
    // One byte more than the longest token with its line end.
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
