import Testing

@testable import Gateway

@Suite("The buffer of an upload passes the received bytes to the file in their order")
struct UploadBufferTests {
  @Test("Bytes that arrive while the upload's earlier bytes are being written wait for the next write")
  func order() {
    var buffer = UploadBuffer()
    #expect(buffer.isEmpty)
    buffer.append([1, 2])
    buffer.beginWriting()
    buffer.append([3])
    #expect(buffer.writing == [1, 2])
    #expect(buffer.count == 1)
    buffer.endWriting()
    buffer.beginWriting()
    #expect(buffer.writing == [3])
    #expect(buffer.isEmpty)
  }

  @Test(
    "If the caller of `take` appends bytes to the returned array, all bytes of the array are written in their order"
  )
  func taking() {
    var buffer = UploadBuffer()
    buffer.append([1])
    var bytes = buffer.take(room: 100)
    #expect(buffer.isEmpty)
    #expect(bytes.capacity >= 101)
    bytes.append(2)
    buffer.restore(bytes)
    buffer.beginWriting()
    #expect(buffer.writing == [1, 2])
  }

  @Test("Bytes that are dropped from the buffer of an upload are not written")
  func dropping() {
    var buffer = UploadBuffer()
    buffer.append([1])
    buffer.dropWaiting()
    buffer.beginWriting()
    #expect(buffer.writing.isEmpty)
  }

  @Test("The two buffers of an upload are swapped for each write, and keep their memory")
  func reuse() {
    var buffer = UploadBuffer()
    for _ in 0..<2 {
      buffer.append(ArraySlice(repeating: 1, count: 1_000))
      buffer.beginWriting()
      buffer.endWriting()
    }
    #expect(buffer.take(room: 1).capacity >= 1_000)
  }
}
