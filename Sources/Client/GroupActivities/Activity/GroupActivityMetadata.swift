public import FoundationEssentials

/// What people read about an activity (Apple's type).
///
/// A session's page shows `title`, and a picture by `type`. The rest stays in this program.
public struct GroupActivityMetadata: Codable, Equatable, Sendable {
  /// What it is called: 1 to 128 Unicode scalars once it is activated; without one, by the activity's identifier.
  public var title: String?
  /// A line more about it.
  public var subtitle: String?
  /// The bytes of a picture: here there is no `CGImage`. The gateway is not told.
  public var previewImage: Data?
  /// Where to go instead; a session's own link is `GroupSession.link`. The gateway is not told.
  public var fallbackURL: URL?
  /// What kind of thing it is.
  public var type: ActivityType = .generic
  /// Whether it may go on on a television. Kept, and of no effect here.
  public var supportsContinuationOnTV = false
  /// How it may be shown elsewhere. Kept, and of no effect here.
  public var preferredBroadcastOptions: BroadcastOptions = []
  /// Which scene it belongs to. Kept, and of no effect here.
  public var sceneAssociationBehavior: SceneAssociationBehavior = .default
  /// When its session ends.
  public var lifetimePolicy: LifetimePolicy = .automatic

  /// Metadata without a title, of the type `generic`.
  public init() {}
}

extension GroupActivityMetadata {
  /// What kind of thing an activity is: the gateway tells everybody, and pages choose a picture by it.
  public struct ActivityType: Hashable, Codable, Sendable {
    let name: String

    /// Anything: what a program of one's own does.
    public static let generic = ActivityType(name: "generic")
    /// Listening to something.
    public static let listenTogether = ActivityType(name: "listenTogether")
    /// Watching something.
    public static let watchTogether = ActivityType(name: "watchTogether")
    /// Playing a game.
    public static let playTogether = ActivityType(name: "playTogether")
    /// Working out.
    public static let workoutTogether = ActivityType(name: "workoutTogether")
    /// Shopping.
    public static let shopTogether = ActivityType(name: "shopTogether")
    /// Reading.
    public static let readTogether = ActivityType(name: "readTogether")
    /// Looking around somewhere.
    public static let exploreTogether = ActivityType(name: "exploreTogether")
    /// Learning something.
    public static let learnTogether = ActivityType(name: "learnTogether")
    /// Making something, such as a picture.
    public static let createTogether = ActivityType(name: "createTogether")
  }

  /// When a session of an activity ends, besides by `end()`.
  public struct LifetimePolicy: Hashable, Codable, Sendable {
    private let endsWithInitiator: Bool

    /// Some time after everybody has left.
    public static let automatic = LifetimePolicy(endsWithInitiator: false)
    /// When the program that activated it calls `leave()`, or lets go of the session.
    public static let endsWhenInitiatorLeaves = LifetimePolicy(endsWithInitiator: true)
  }

  /// What Apple's type was told before `type`.
  @available(*, deprecated, message: "Use 'type' instead.")
  public enum Experience: Int, Codable, Sendable {
    /// Watching something.
    case watchTogether
    /// Listening to something.
    case listenTogether
  }

  /// What `type` says, where `Experience` has a word for it.
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

/// How an activity may be shown elsewhere (Apple's type): kept, and of no effect here.
public struct BroadcastOptions: OptionSet, Hashable, Codable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// The screen as it is.
  public static let mirroredVideo = BroadcastOptions(rawValue: 1 << 0)

  /// Options by their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }
}

/// Which scene an activity belongs to (Apple's type): kept, and of no effect where a program has no scenes.
public struct SceneAssociationBehavior: Hashable, Codable, Sendable {
  private enum Choice: Hashable, Codable {
    case `default`, none
    case content(String)
  }
  private let choice: Choice

  /// As the system sees fit.
  public static let `default` = SceneAssociationBehavior(choice: .default)
  /// No scene.
  public static let none = SceneAssociationBehavior(choice: .none)

  /// The scene that shows that content.
  public static func content(_ contentIdentifier: String) -> SceneAssociationBehavior {
    SceneAssociationBehavior(choice: .content(contentIdentifier))
  }
}
