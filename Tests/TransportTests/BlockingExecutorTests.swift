import Glibc
import Testing
import Transport

@Suite("The blocking executor")
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

  @Test("What was enqueued before the stop is run")
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

  func append(_ number: Int) {
    assertIsolated()
    threads.insert(pthread_self())
    numbers.append(number)
  }
}
