import FoundationEssentials
import GroupActivities

/// The activity of Apple's sample.
struct DrawTogether: GroupActivity {
  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Draw Together"
    metadata.type = .generic
    return metadata
  }
}

/// The stroke message of Apple's sample. A point is two numbers, as `CGPoint` is in JSON.
struct UpsertStrokeMessage: Codable, Equatable {
  let id: UUID
  let color: Int
  let point: [Double]
}

/// A message without an `id`, so it is not retained.
struct Remark: Codable, Equatable {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

/// An activity with a payload.
struct Quiz: GroupActivity {
  let round: Int
  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Round \(round)"
    return metadata
  }
}
