extension Generator {
  /// Adds a sender and a reader, which measure the latency while other load runs. Opens their connections, starts to send, and
  /// measures for a second before the other load begins.
  func beginLivePair(_ target: String) throws(BenchError) -> Measurement {
    let first = links.count
    for _ in 0..<2 { addLink(session: 0, target: target) }
    sessions = [SessionLoad(senders: [first], deliveriesEach: 1)]
    try open(first..<first + 2, inFlight: 2)
    priorityLink = links[first + 1]
    maker = MessageMaker(payloadLength: options.payload, isPeer: options.isPeer)
    return try Measurement.run(self, seconds: 1, warmUp: 0.3)
  }
}
