internal import Gateway
internal import Glibc
internal import Platform

/// A secret in a separate file, as Docker and Kubernetes pass secrets to a process. Errors name the setting and the file, but no
/// content.
enum SecretFile {
  /// Returns the configuration with the token from the token file, if the configuration names such a file.
  static func readToken(of configuration: GatewayConfiguration) throws(CommandError) -> GatewayConfiguration {
    guard let path = configuration.metricsTokenFile else { return configuration }
    var text = try read(path)
    // Editors end a file with a line feed, which is not part of the secret.
    if text.last?.isNewline == true { text.removeLast() }
    guard let token = SettingValue.token(text) else { throw .noToken(path: path) }
    var configuration = configuration
    configuration.metricsToken = token
    return configuration
  }

  private static func read(_ path: String) throws(CommandError) -> String {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw .unreadableToken(path: path, SystemError("open", code: errno)) }
    let file = OwnedDescriptor(owning: number)
    // The buffer has one byte more than the longest token with its line end, so that a longer file is detected.
    var bytes = [UInt8](repeating: 0, count: 259)
    var length = 0
    while length < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(file.rawValue, buffer.baseAddress.map { unsafe $0 + length }, buffer.count - length)
      }
      if count == 0 { break }
      guard count > 0 || errno == EINTR else {
        throw .unreadableToken(path: path, SystemError("read", code: errno))
      }
      length += max(0, count)
    }
    return String(decoding: bytes[..<length], as: UTF8.self)
  }
}
