import CLinux
import Glibc
import Testing
import Platform

@Suite("BlockingExecutor runs the calls of an actor on a thread of its own")
struct BlockingExecutorTests {
  @Test("An actor's calls run one after another on its own thread")
  func isolation() async throws {
    let executor = try BlockingExecutor(name: "test-blocking")
    let recorder = Recorder(executor: executor)
    for number in 0..<100 { await recorder.append(number) }
    #expect(await recorder.numbers == Array(0..<100))
    await withTaskGroup { group in
      for number in 100..<200 {
        group.addTask { await recorder.append(number) }
      }
    }
    #expect(await recorder.numbers.sorted() == Array(0..<200))
    #expect(await recorder.threads.count == 1)
    #expect(executor.isIsolatingCurrentContext() == false)
    executor.stop()
    executor.join()
  }

  @Test("After its jobs have run, an executor can be stopped and joined more than once")
  func stop() async throws {
    let executor = try BlockingExecutor(name: "test-blocking")
    let recorder = Recorder(executor: executor)
    let tasks = (0..<20).map { number in Task { await recorder.append(number) } }
    for task in tasks { await task.value }
    executor.stop()
    executor.stop()
    executor.join()
    executor.join()
  }

  @Test("Writing to a closed pipe on an executor's thread returns EPIPE and raises no signal")
  func signals() async throws {
    let executor = try BlockingExecutor(name: "test-blocking")
    let recorder = Recorder(executor: executor)
    #expect(await recorder.writeToClosedPipe() == EPIPE)
    executor.stop()
    executor.join()
  }

  @Test("Only the executor's thread has the requested niceness")
  func niceness() async throws {
    let executor = try BlockingExecutor(name: "test-blocking", niceness: 7)
    let (nice, usual) = (Recorder(executor: executor), clinux_thread_niceness())
    #expect(await nice.niceness == 7)
    #expect(clinux_thread_niceness() == usual)
    executor.stop()
    executor.join()
  }
}

private actor Recorder {
  private let executor: BlockingExecutor
  private(set) var numbers: [Int] = []
  private(set) var threads: Set<pthread_t> = []

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(executor: BlockingExecutor) {
    self.executor = executor
  }

  var niceness: CInt { clinux_thread_niceness() }

  /// Returns the error of a write to a pipe without a reader.
  func writeToClosedPipe() -> CInt {
    var ends: [CInt] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return errno }
    close(ends[0])
    defer { close(ends[1]) }
    let byte: [UInt8] = [0]
    return unsafe write(ends[1], byte, 1) < 0 ? errno : 0
  }

  func append(_ number: Int) {
    assertIsolated()
    threads.insert(pthread_self())
    numbers.append(number)
  }
}
