public import FoundationEssentials

/// Something that somebody did, for `GroupSession.showNotice(_:)` (Apple's type).
public struct GroupSessionEvent: Sendable {
  /// Who did it.
  public let originator: Participant
  /// What was done.
  public let action: Action
  /// What it was done to, if that has an address.
  public let url: URL?

  /// Says who did what.
  public init(originator: Participant, action: Action, url: URL?) {
    self.originator = originator
    self.action = action
    self.url = url
  }

  /// What was done; media words, for that is what Apple's type was made for.
  public struct Action: Sendable, CustomStringConvertible {
    /// In words, behind a person's name.
    public let description: String

    /// Playing began.
    public static let play = Action(description: "started to play")
    /// Playing was interrupted.
    public static let pause = Action(description: "paused")
    /// Another place was chosen.
    public static let seek = Action(description: "went to another place")
    /// What is next was changed.
    public static let updatedQueue = Action(description: "changed what is next")

    /// Something was passed over.
    public static func skip(item: String) -> Action {
      Action(description: "skipped \(item)")
    }

    /// What is next was changed, in that way.
    public static func updatedQueue(_ change: QueueChange) -> Action {
      Action(description: change.description)
    }

    /// Ours: anything else, in words that stand behind a person's name, such as “cleared the canvas”.
    public static func other(_ words: String) -> Action {
      Action(description: words)
    }

    /// A change of what is next.
    public struct QueueChange: Sendable, CustomStringConvertible {
      /// In words.
      public let description: String

      /// Something was put at the end.
      public static func added(_ item: Item) -> QueueChange {
        QueueChange(description: "added \(item)")
      }

      /// Something comes next.
      public static func setUpNext(_ item: Item) -> QueueChange {
        QueueChange(description: "will play \(item) next")
      }

      /// What was added.
      public struct Item: Sendable, CustomStringConvertible {
        /// Its name.
        public let description: String

        /// One song.
        public static func song(_ name: String) -> Item {
          Item(description: name)
        }

        /// An album, a playlist.
        public static func container(_ name: String) -> Item {
          Item(description: name)
        }
      }
    }
  }
}
