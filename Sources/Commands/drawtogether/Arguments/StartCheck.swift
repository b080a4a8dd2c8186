internal import Gateway
internal import Glibc
internal import Networking
internal import Storage
internal import Wire

/// Checks the files, folders and addresses of a configuration on this machine. Creates, changes and binds nothing.
struct StartCheck {
  private let configuration: GatewayConfiguration

  /// Creates a check of a configuration.
  init(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
  }

  /// Checks for errors that no system call would report. Takes microseconds.
  ///
  /// - Throws: the first error.
  func beforeStart() throws(StartError) {
    for error in silentErrors { throw error }
  }

  /// Returns all errors that would prevent a start, with the texts of the start itself. Looks up host names, which may take
  /// seconds.
  func errors() -> [StartError] {
    var errors = silentErrors
    for address in [configuration.http, configuration.https] {
      guard let address else { continue }
      do {
        _ = try SocketAddress.resolve("\(address)")
      } catch {
        errors.append(.gateway(.address(address, error)))
      }
    }
    do {
      try StaticFiles.check(directory: configuration.publicDirectory)
    } catch {
      errors.append(.gateway(error))
    }
    do {
      try DataFolder.check(configuration.dataDirectory)
    } catch {
      errors.append(.gateway(.dataFolder(error)))
    }
    if configuration.https != nil, let certificate = configuration.certificateFile,
      let key = configuration.keyFile
    {
      do {
        _ = try TLSServerContext(certificatePath: certificate, keyPath: key)
      } catch {
        errors.append(.gateway(.certificate(error)))
      }
    }
    return errors
  }

  private var silentErrors: [StartError] {
    published + [reserveBeyondDisk].compactMap(\.self)
  }

  /// Secrets in the folder of the page, whose files are public.
  private var published: [StartError] {
    [
      ("--data", configuration.dataDirectory), ("--tls-key", configuration.keyFile),
      ("--metrics-token-file", configuration.metricsTokenFile),
    ].compactMap { setting, path in
      guard let path, let real = Self.realPath(path), let page = Self.realPath(configuration.publicDirectory),
        real == page || real.hasPrefix(page == "/" ? page : page + "/")
      else { return nil }
      // Files whose names begin with a dot are not served.
      guard !real.dropFirst(page.count).split(separator: "/").contains(where: { $0.hasPrefix(".") }) else {
        return nil
      }
      return .published(setting: setting, path: path, page: configuration.publicDirectory)
    }
  }

  private var reserveBeyondDisk: StartError? {
    let reserve = UInt64(clamping: configuration.limits.diskReserveBytes)
    guard let room = DataFolder.room(for: configuration.dataDirectory), reserve >= room.total else {
      return nil
    }
    return .reserveBeyondDisk(reserve: reserve, disk: room.total, data: configuration.dataDirectory)
  }

  /// Returns the path without symbolic links, also for a file that does not exist yet; nil if a parent folder is missing.
  private static func realPath(_ path: String) -> String? {
    if let real = unsafe realpath(path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    guard errno == ENOENT, let name = path.split(separator: "/").last, path != name else {
      return path.contains("/") ? nil : realPath(".").map { "\($0)/\(path)" }
    }
    let above = path.dropLast(path.hasSuffix("/") ? 1 : 0).dropLast(name.count)
    return realPath(above.isEmpty ? "." : String(above)).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" }
  }
}

/// An error that prevents the start of a gateway. The description is one sentence, and names the setting if one is at fault.
enum StartError: Error, CustomStringConvertible {
  /// A secret in the folder of the page.
  case published(setting: String, path: String, page: String)
  /// A disk reserve that is larger than the disk.
  case reserveBeyondDisk(reserve: UInt64, disk: UInt64, data: String)
  /// An error that the start itself would throw.
  case gateway(GatewayError)

  var description: String {
    switch self {
    case .published(let setting, let path, let page):
      "\(setting) \(path) is in \(page), the folder of --public, whose files are public: move it out."
    case .reserveBeyondDisk(let reserve, let disk, let data):
      "--disk-reserve-bytes is \(SettingValue.describe(size: Int(clamping: reserve))), but the whole disk of --data \(data) has"
        + " \(SettingValue.rough(size: disk)): lower it."
    case .gateway(let error): "\(error)"
    }
  }
}
