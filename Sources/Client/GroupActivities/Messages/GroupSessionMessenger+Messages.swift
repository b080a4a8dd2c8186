extension GroupSessionMessenger {
  /// What is known about a message besides itself (Apple's type).
  public struct MessageContext: Sendable {
    /// Who sent it; somebody who left long ago too. The gateway says so, and no sender can say otherwise.
    public let source: Participant
  }

  /// The messages of one type (Apple's type). It ends when the session is over; after `leave()` or `end()` of this program's
  /// at once, else behind what has come.
  public struct Messages<Message: Codable>: AsyncSequence, Sendable {
    /// A message and what is known about it.
    public typealias Element = (Message, MessageContext)
    /// It never fails.
    public typealias Failure = Never
    /// What goes through it.
    public typealias AsyncIterator = Iterator

    let coordinator: SessionCoordinator
    let retainer: SessionRetainer
    let type: String

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
      Iterator(self)
    }

    /// Goes through the messages. It listens as long as somebody holds it.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// A message and what is known about it.
      public typealias Element = Messages.Element
      /// It never fails.
      public typealias Failure = Never

      private let retainer: SessionRetainer
      private let subscription: MessageSubscription
      private var decoder: MessageDecoder<Message>

      init(_ messages: Messages) {
        retainer = messages.retainer
        subscription = messages.coordinator.inbox.subscribe(to: messages.type)
        decoder = MessageDecoder(type: messages.type, sentPoints: messages.coordinator.sentStrokePoints)
      }

      /// The next message; nil at the end, and once the task is cancelled.
      public mutating func next() async -> Element? {
        await next(isolation: #isolation)
      }

      /// The next message; nil at the end, and once the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while !isOver {
          if decoder.needsPause() { await Task.yield() }
          if let message = decoder.next() { return element(message) }
          guard let entry = await subscription.next() else { return nil }
          if let message = decoder.decode(entry) { return element(message) }
        }
        return nil
      }

      /// A message; none once its reader left or was cancelled while it came.
      private func element(_ message: (Message, Participant)) -> Element? {
        isOver ? nil : (message.0, MessageContext(source: message.1))
      }

      private var isOver: Bool { subscription.isDiscarded || Task.isCancelled }
    }
  }
}
