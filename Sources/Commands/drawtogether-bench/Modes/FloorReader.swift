internal import CLinux
internal import Glibc
internal import Networking
internal import Platform

/// The mode `floor-reader`: reads from many sockets, discards the bytes, and reports their total after each iteration.
enum FloorReader {
  /// Reads until the sending process is gone. Returns no report.
  static func run(_ options: BenchOptions) throws(BenchError) -> Report? {
    let epoll = clinux_epoll_create()
    let address = SocketAddress(ip: IPAddress(v4: 0x7F00_0001), port: options.port)
    for number in 0..<options.sockets {
      do throws(SystemError) {
        let owned = try Socket.connect(to: address)
        let socket = Socket(owned.release())
        guard try socket.wait(until: .writable, atMost: .seconds(10)) else {
          throw SystemError("connect", code: ETIMEDOUT)
        }
        try socket.pendingError()
        try socket.resetOnClose()
        _ = clinux_epoll_add(epoll, socket.descriptor, UInt64(socket.descriptor))
      } catch {
        throw .openedTooFew(opened: number, of: options.sockets)
      }
    }
    var ready = [clinux_ready](repeating: clinux_ready(), count: Int(clinux_ready_capacity))
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var total: UInt64 = 0
    while true {
      let count = unsafe ready.withUnsafeMutableBufferPointer {
        unsafe clinux_epoll_wait(epoll, $0.baseAddress, -1)
      }
      let before = total
      for index in 0..<max(0, Int(count)) {
        switch Socket(CInt(ready[index].token)).receive(into: &buffer) {
        case .received(let bytes): total += UInt64(bytes)
        case .endOfStream, .failed: return nil
        case .wouldBlock: break
        }
      }
      guard total > before else { continue }
      let written = unsafe withUnsafeBytes(of: &total) {
        unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      guard written == 8 else { return nil }
    }
  }
}
