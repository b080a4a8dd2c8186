import GroupActivities

/// What the people do who are in a session: draw together.
public struct DrawTogether: GroupActivity, Sendable {
  public init() {}

  public var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Draw Together"
    metadata.type = .generic
    return metadata
  }
}
