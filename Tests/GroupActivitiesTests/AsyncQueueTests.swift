import Testing

@testable import GroupActivities

@Suite("AsyncQueue delivers elements to readers on their actors")
struct AsyncQueueTests {
  /// Runs the jobs that belong to no actor. A resumed task runs in such a job before it returns to its actor.
  private let otherJobs = ManualExecutor()

  private func read(_ queue: AsyncQueue<Int>, on reader: ManualReader) async {
    await reader.perform { reader in
      while let element = await queue.next(isolation: reader) { reader.record("\(element)") }
    }
  }

  @Test("readers on one actor resume in the order in which their queues received an element")
  func resumesReadersInOrder() async {
    let reader = ManualReader()
    let (strokes, canvases) = (AsyncQueue<Int>(), AsyncQueue<Int>())
    let tasks = [strokes, canvases].map { queue in
      Task.detached(executorPreference: otherJobs) { await read(queue, on: reader) }
    }
    ManualReader.run([reader], and: otherJobs)
    strokes.enqueue(1)
    canvases.enqueue(2)
    strokes.enqueue(3)
    ManualReader.run([reader], and: otherJobs)
    // The reader of strokes receives its second element before it waits again.
    #expect(reader.elements == ["1", "3", "2"])

    canvases.enqueue(4)
    strokes.enqueue(5)
    canvases.finish(keepsBuffered: true)
    ManualReader.run([reader], and: otherJobs)
    #expect(reader.elements == ["1", "3", "2", "4", "5"])
    strokes.finish(keepsBuffered: true)
    ManualReader.run([reader], and: otherJobs)
    for task in tasks { await task.value }
  }

  @Test("a reader that begins to wait for an element enqueues no job outside its actor")
  func waitsOnActor() async {
    let reader = ManualReader()
    let queue = AsyncQueue<Int>()
    let task = Task.detached(executorPreference: otherJobs) { await read(queue, on: reader) }
    otherJobs.runTaskJobs()
    reader.executor.runActorJobs()
    #expect(otherJobs.jobCount == 0)
    queue.finish(keepsBuffered: true)
    ManualReader.run([reader], and: otherJobs)
    await task.value
  }

  @Test("readers on different actors do not wait for each other")
  func resumesActorsIndependently() async {
    let (busy, idle) = (ManualReader(), ManualReader())
    let queues = [AsyncQueue<Int>(), AsyncQueue<Int>()]
    let tasks = zip([busy, idle], queues).map { reader, queue in
      Task.detached(executorPreference: otherJobs) { await read(queue, on: reader) }
    }
    ManualReader.run([busy, idle], and: otherJobs)
    for (element, queue) in queues.enumerated() { queue.enqueue(element) }
    ManualReader.run([idle], and: otherJobs)
    #expect(idle.elements == ["1"])
    ManualReader.run([busy], and: otherJobs)
    #expect(busy.elements == ["0"])
    for queue in queues { queue.finish(keepsBuffered: true) }
    ManualReader.run([busy, idle], and: otherJobs)
    for task in tasks { await task.value }
  }
}
