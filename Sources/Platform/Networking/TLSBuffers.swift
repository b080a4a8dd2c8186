internal import COpenSSL

/// A transport for OpenSSL that uses the caller's buffers. During one call, OpenSSL reads ciphertext from the input and writes
/// to the output. This object has no buffers of its own; OpenSSL stores the received part of an incomplete record.
@safe
final class TLSBuffers {
  private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  private var output: [UInt8] = []

  /// Calls OpenSSL with an input and an output. Written bytes are appended to the output.
  func connect<Result, Failure>(
    from input: Span<UInt8>, to output: inout [UInt8], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    swap(&self.output, &output)
    defer { swap(&self.output, &output) }
    return try unsafe input.withUnsafeBufferPointer { (input) throws(Failure) in
      unsafe self.input = UnsafeRawBufferPointer(input)
      defer { unsafe self.input = UnsafeRawBufferPointer(start: nil, count: 0) }
      return try body()
    }
  }

  /// Creates a BIO that is valid as long as this object lives.
  func makeBIO() -> OpaquePointer {
    guard let bio = unsafe BIO_new(Self.method.pointer) else {
      preconditionFailure("OpenSSL has no memory for a BIO (a buffer)")
    }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    return unsafe bio
  }

  private func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe min(bytes.count, input.count)
    unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  private func write(_ bytes: UnsafeRawBufferPointer) {
    unsafe output.append(contentsOf: bytes)
  }

  /// The BIO method of the process. `@unchecked`, because it is created once and only read afterwards.
  @safe
  private struct Method: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private static let method: Method = {
    let method = unsafe copenssl_bio_method_new(
      { object, bytes, capacity in
        guard let object = unsafe object, let bytes = unsafe bytes else { return 0 }
        let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: capacity)
        return unsafe Unmanaged<TLSBuffers>.fromOpaque(object).takeUnretainedValue().read(into: room)
      },
      { object, bytes, count in
        guard let object = unsafe object, let bytes = unsafe bytes else { return }
        let written = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        unsafe Unmanaged<TLSBuffers>.fromOpaque(object).takeUnretainedValue().write(written)
      })
    guard let method = unsafe method else { preconditionFailure("OpenSSL has no memory for a BIO method") }
    return unsafe Method(pointer: method)
  }()
}
