extension GroupSessionMessenger {
  /// The context of a message (Apple's type).
  public struct MessageContext: Sendable {
    /// The sender, which may have left long ago. The gateway sets this value, so a sender cannot claim another identity.
    public let source: Participant
  }

  /// The messages of one type (Apple's type).
  ///
  /// The sequence ends when the session is over. If this program called `leave()` or `end()`, the sequence ends immediately;
  /// otherwise it ends after the messages that have already arrived.
  public struct Messages<Message: Codable>: AsyncSequence, Sendable {
    /// A message and its context.
    public typealias Element = (Message, MessageContext)
    /// The sequence never fails.
    public typealias Failure = Never
    /// The iterator's type.
    public typealias AsyncIterator = Iterator

    let coordinator: SessionCoordinator
    let retainer: SessionRetainer
    let type: String

    /// Subscribes to the messages.
    public func makeAsyncIterator() -> Iterator {
      Iterator(self)
    }

    /// The iterator over the messages. The subscription lasts as long as the iterator.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// A message and its context.
      public typealias Element = Messages.Element
      /// The sequence never fails.
      public typealias Failure = Never

      private let retainer: SessionRetainer
      private let subscription: MessageSubscription
      private var decoder: MessageDecoder<Message>

      init(_ messages: Messages) {
        retainer = messages.retainer
        subscription = messages.coordinator.inbox.subscribe(to: messages.type)
        decoder = MessageDecoder(type: messages.type, sentPoints: messages.coordinator.sentStrokePoints)
      }

      /// Returns the next message; nil at the end, and when the task is cancelled.
      public mutating func next() async -> Element? {
        await next(isolation: #isolation)
      }

      /// Returns the next message; nil at the end, and when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while !isOver {
          if decoder.needsPause() { await Task.yield() }
          if let message = decoder.next() { return element(message) }
          guard let entry = await subscription.next() else { return nil }
          if let message = decoder.decode(entry) { return element(message) }
        }
        return nil
      }

      /// Returns a message as an element; nil if this program left or the task was cancelled while the message
      /// arrived.
      private func element(_ message: (Message, Participant)) -> Element? {
        isOver ? nil : (message.0, MessageContext(source: message.1))
      }

      private var isOver: Bool { subscription.isDiscarded || Task.isCancelled }
    }
  }
}
