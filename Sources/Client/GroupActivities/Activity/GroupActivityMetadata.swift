public import FoundationEssentials

/// The description of an activity that people see (Apple's type).
///
/// A session's web page shows `title`, and a picture that depends on `type`. All other properties stay in this program.
public struct GroupActivityMetadata: Codable, Equatable, Sendable {
  /// The title. `activate()` requires 1 to 128 Unicode scalars, and sends the activity's identifier in place of a nil title.
  public var title: String?
  /// One line of further description.
  public var subtitle: String?
  /// The bytes of an image file; there is no `CGImage` on Linux. Not sent to the gateway.
  public var previewImage: Data?
  /// The address of an alternative for people who cannot join. Not sent to the gateway; `GroupSession.link` is the session's own
  /// link.
  public var fallbackURL: URL?
  /// The kind of activity.
  public var type: ActivityType = .generic
  /// True if the activity may continue on a television. The value is stored but has no effect.
  public var supportsContinuationOnTV = false
  /// The preferred broadcast options. The value is stored but has no effect.
  public var preferredBroadcastOptions: BroadcastOptions = []
  /// The scene that the activity belongs to. The value is stored but has no effect.
  public var sceneAssociationBehavior: SceneAssociationBehavior = .default
  /// The condition under which the session ends.
  public var lifetimePolicy: LifetimePolicy = .automatic

  /// Creates metadata without a title, of type `generic`.
  public init() {}
}

extension GroupActivityMetadata {
  /// The kind of an activity. The gateway sends it to all participants, and web pages choose a picture for it.
  public struct ActivityType: Hashable, Codable, Sendable {
    let name: String

    /// An activity of a kind for which `ActivityType` has no specific constant.
    public static let generic = ActivityType(name: "generic")
    /// Listening to audio.
    public static let listenTogether = ActivityType(name: "listenTogether")
    /// Watching video.
    public static let watchTogether = ActivityType(name: "watchTogether")
    /// Playing a game.
    public static let playTogether = ActivityType(name: "playTogether")
    /// Exercising.
    public static let workoutTogether = ActivityType(name: "workoutTogether")
    /// Shopping.
    public static let shopTogether = ActivityType(name: "shopTogether")
    /// Reading.
    public static let readTogether = ActivityType(name: "readTogether")
    /// Exploring a place.
    public static let exploreTogether = ActivityType(name: "exploreTogether")
    /// Learning.
    public static let learnTogether = ActivityType(name: "learnTogether")
    /// Creating content, such as a picture.
    public static let createTogether = ActivityType(name: "createTogether")
  }

  /// The condition under which a session ends without `end()`.
  public struct LifetimePolicy: Hashable, Codable, Sendable {
    private let endsWithInitiator: Bool

    /// The session ends some time after the last participant has left.
    public static let automatic = LifetimePolicy(endsWithInitiator: false)
    /// The session ends when the program that activated it calls `leave()` or releases the session.
    public static let endsWhenInitiatorLeaves = LifetimePolicy(endsWithInitiator: true)
  }

  /// The predecessor of `ActivityType` in Apple's API.
  @available(*, deprecated, message: "Use 'type' instead.")
  public enum Experience: Int, Codable, Sendable {
    /// Watching video.
    case watchTogether
    /// Listening to audio.
    case listenTogether
  }

  /// The `Experience` that corresponds to `type`; nil if `Experience` has no such case.
  @available(*, deprecated, message: "Use 'type' instead.")
  public var experience: Experience? {
    get {
      switch type {
      case .watchTogether: .watchTogether
      case .listenTogether: .listenTogether
      default: nil
      }
    }
    set {
      switch newValue {
      case .watchTogether: type = .watchTogether
      case .listenTogether: type = .listenTogether
      case nil: type = .generic
      }
    }
  }

  /// The title.
  @available(*, deprecated, renamed: "title")
  public var localizedTitle: String? {
    get { title }
    set { title = newValue }
  }

  /// The subtitle.
  @available(*, deprecated, renamed: "subtitle")
  public var localizedSubtitle: String? {
    get { subtitle }
    set { subtitle = newValue }
  }
}

/// The ways to show an activity on other devices (Apple's type). The options are stored but have no effect.
public struct BroadcastOptions: OptionSet, Hashable, Codable, Sendable {
  /// The bits of the option set.
  public let rawValue: Int

  /// Mirroring of the screen as video.
  public static let mirroredVideo = BroadcastOptions(rawValue: 1 << 0)

  /// Creates options from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }
}

/// The scene that an activity belongs to (Apple's type). It is stored but has no effect, because programs on Linux have no
/// scenes.
public struct SceneAssociationBehavior: Hashable, Codable, Sendable {
  private enum Choice: Hashable, Codable {
    case `default`, none
    case content(String)
  }
  private let choice: Choice

  /// The scene that the system chooses.
  public static let `default` = SceneAssociationBehavior(choice: .default)
  /// The behavior of an activity that belongs to no scene.
  public static let none = SceneAssociationBehavior(choice: .none)

  /// Returns the behavior for the scene that shows this content.
  public static func content(_ contentIdentifier: String) -> SceneAssociationBehavior {
    SceneAssociationBehavior(choice: .content(contentIdentifier))
  }
}
