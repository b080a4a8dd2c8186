internal import Gateway
internal import Glibc
internal import Networking
internal import Storage
internal import Wire

/// Looks on this machine at what a configuration names, before a gateway starts with it. Nothing is made, changed or bound.
struct StartCheck {
  private let configuration: GatewayConfiguration

  /// Looks at what this configuration names.
  init(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
  }

  /// What a gateway would not notice by itself, for no call fails of it; this costs microseconds.
  ///
  /// - Throws: the first fault.
  func beforeStart() throws(StartFault) {
    for fault in unnoticed { throw .setting(fault) }
  }

  /// Everything that would keep a gateway from starting, in the words in which it would say so itself. Names of hosts are asked
  /// for, which may take seconds.
  func faults() -> [StartFault] {
    var faults = unnoticed
    for address in [configuration.http, configuration.https] {
      guard let address else { continue }
      do {
        _ = try SocketAddress.resolve("\(address)")
      } catch {
        faults.append(.gateway(.address(address, error)))
      }
    }
    do {
      try StaticFiles.check(directory: configuration.publicDirectory)
    } catch {
      faults.append(.gateway(.files(error)))
    }
    do {
      try DataFolder.check(configuration.dataDirectory)
    } catch {
      faults.append(.gateway(.dataFolder(error)))
    }
    if configuration.https != nil, let certificate = configuration.certificateFile,
      let key = configuration.keyFile
    {
      do {
        _ = try TLSServerContext(certificatePath: certificate, keyPath: key)
      } catch {
        faults.append(.gateway(.certificate("\(error)")))
      }
    }
    return faults
  }

  private var unnoticed: [StartFault] {
    published + [reserveBeyondDisk].compactMap(\.self)
  }

  /// What nobody may read and everybody could: it lies in the folder of the page, whose files are served.
  private var published: [StartFault] {
    [
      ("--data", configuration.dataDirectory), ("--tls-key", configuration.keyFile),
      ("--metrics-token-file", configuration.metricsTokenFile),
    ].compactMap { setting, path in
      guard let path, let real = Self.realPath(path), let page = Self.realPath(configuration.publicDirectory),
        real == page || real.hasPrefix(page == "/" ? page : page + "/")
      else { return nil }
      // Names that begin with a dot are not served.
      guard !real.dropFirst(page.count).split(separator: "/").contains(where: { $0.hasPrefix(".") }) else {
        return nil
      }
      return .published(setting: setting, path: path, page: configuration.publicDirectory)
    }
  }

  private var reserveBeyondDisk: StartFault? {
    let reserve = UInt64(clamping: configuration.limits.diskReserveBytes)
    guard let room = DataFolder.room(for: configuration.dataDirectory), reserve >= room.total else {
      return nil
    }
    return .reserveBeyondDisk(reserve: reserve, disk: room.total, data: configuration.dataDirectory)
  }

  /// The path without links; of what is not there yet, as it would be. `nil` when it leads nowhere.
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

/// A setting that this machine makes senseless; its words are one sentence that names it.
enum StartFault: Error, CustomStringConvertible {
  /// A secret in the folder of the page.
  case published(setting: String, path: String, page: String)
  /// What is to stay free is more than there is.
  case reserveBeyondDisk(reserve: UInt64, disk: UInt64, data: String)
  /// An error that the start itself would throw.
  case gateway(GatewayError)

  var description: String {
    switch self {
    case .published(let setting, let path, let page):
      "\(setting) \(path) lies in \(page), the folder of --public, whose files everybody may read: it takes a place outside."
    case .reserveBeyondDisk(let reserve, let disk, let data):
      "--disk-reserve-bytes is \(SettingValue.describe(size: Int(clamping: reserve))), and the whole disk of --data \(data) has"
        + " \(SettingValue.rough(size: disk)): it takes less than that."
    case .gateway(let error): "\(error)"
    }
  }
}
