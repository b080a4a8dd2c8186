import GroupActivities

/// The activity of drawing together.
public struct DrawTogether: GroupActivity, Sendable {
  public init() {}

  public var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Draw Together"
    metadata.type = .generic
    return metadata
  }
}
