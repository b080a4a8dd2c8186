public import FoundationEssentials

/// An action of a participant, for `GroupSession.showNotice(_:)` (Apple's type).
public struct GroupSessionEvent: Sendable {
  /// The participant that performed the action.
  public let originator: Participant
  /// The action that the participant performed.
  public let action: Action
  /// The URL of the object to which the action applies; nil if there is no URL.
  public let url: URL?

  /// Creates an event.
  public init(originator: Participant, action: Action, url: URL?) {
    self.originator = originator
    self.action = action
    self.url = url
  }

  /// The kind of an action. Apple designed this type for media, so the names are about media.
  public struct Action: Sendable, CustomStringConvertible {
    /// An English phrase that describes the action, such as “started to play”.
    public let description: String

    /// Playback started.
    public static let play = Action(description: "started to play")
    /// Playback paused.
    public static let pause = Action(description: "paused")
    /// The playback position changed.
    public static let seek = Action(description: "moved to another position")
    /// The playback queue changed.
    public static let updatedQueue = Action(description: "changed the queue")

    /// Returns the action of skipping an item.
    public static func skip(item: String) -> Action {
      Action(description: "skipped \(item)")
    }

    /// Returns the action of a change of the playback queue.
    public static func updatedQueue(_ change: QueueChange) -> Action {
      Action(description: change.description)
    }

    /// Returns an action that Apple's API does not name. The words, such as “cleared the canvas”, follow a participant's name. An
    /// extension of Apple's API.
    public static func other(_ words: String) -> Action {
      Action(description: words)
    }

    /// A change of the playback queue.
    public struct QueueChange: Sendable, CustomStringConvertible {
      /// An English phrase that describes the change, such as “added …”.
      public let description: String

      /// Returns the change that adds an item at the end.
      public static func added(_ item: Item) -> QueueChange {
        QueueChange(description: "added \(item)")
      }

      /// Returns the change that plays an item next.
      public static func setUpNext(_ item: Item) -> QueueChange {
        QueueChange(description: "will play \(item) next")
      }

      /// An item of the playback queue.
      public struct Item: Sendable, CustomStringConvertible {
        /// The name of the item.
        public let description: String

        /// Returns a song.
        public static func song(_ name: String) -> Item {
          Item(description: name)
        }

        /// Returns a collection, such as an album or a playlist.
        public static func container(_ name: String) -> Item {
          Item(description: name)
        }
      }
    }
  }
}
