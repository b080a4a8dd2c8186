import CLinux
import Testing
import Networking

@Suite("Memory of an idle TLS connection")
struct TLSMemoryTests {
  @Test(
    "After data was sent in both directions, an idle TLS connection uses at most 16 KiB of the heap",
    arguments: TLSVersion.allCases)
  func idle(_ version: TLSVersion) async {
    // The test runs in a child process, because the heap of this process contains data of other tests.
    await #expect(processExitsWith: .success) { [name = version.name as String] in
      let version = try #require(TLSVersion.allCases.first { $0.name == name })
      let contexts = try TLSFixture.Contexts()
      let server = try contexts.server()
      let client = try contexts.client(version...version)
      var idle: [TLSConnection] = []
      func connect() throws {
        var pair = TLSPair(client: client.makeConnection(to: "localhost"), server: server.makeConnection())
        try pair.exchange()
        try pair.clientSends([UInt8](repeating: 1, count: 50_000))
        try pair.serverSends([UInt8](repeating: 2, count: 50_000))
        try pair.exchange()
        idle.append(pair.server)
      }
      // The first connections allocate memory that OpenSSL keeps for the process.
      for _ in 0..<20 { try connect() }
      let before = clinux_heap_in_use()
      for _ in 0..<100 { try connect() }
      let each = (clinux_heap_in_use() - before) / 100
      #expect(each <= 16_384, "\(each) bytes")
      withExtendedLifetime(idle) {}
    }
  }

  @Test(
    "A server that has received an incomplete ClientHello buffers these bytes and uses less than 1 KiB of other memory"
  )
  func unfinishedHello() async {
    await #expect(processExitsWith: .success) {
      let server = try TLSFixture.Contexts().server()
      let hello = ClientHello().record
      for received in [0, 1, 4, 9, hello.count - 1] {
        var waiting: [TLSConnection] = []
        var (plaintext, answer): ([UInt8], [UInt8]) = ([], [])
        func wait() throws {
          waiting.append(server.makeConnection())
          let bytes = Array(hello[..<received])
          _ = try waiting.last?.receive(bytes.span, plaintext: &plaintext, ciphertextOut: &answer)
        }
        for _ in 0..<20 { try wait() }
        waiting.reserveCapacity(120)
        let before = clinux_heap_in_use()
        for _ in 0..<100 { try wait() }
        let each = (clinux_heap_in_use() - before) / 100
        #expect(each <= 2 * received + 1_024, "\(each) bytes after \(received)")
        #expect(plaintext.isEmpty && answer.isEmpty)
        withExtendedLifetime(waiting) {}
      }
    }
  }
}
