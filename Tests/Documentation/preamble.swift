import Combine
import GroupActivities

struct DrawTogether: GroupActivity {
  var metadata: GroupActivityMetadata { GroupActivityMetadata() }
}

struct Hello: Codable {
  var text: String
}

struct Cursor: Codable {
  var id: UUID
}

struct Caption: Codable {
  var text: String
}

@MainActor func article(
  session: GroupSession<DrawTogether>, messenger: GroupSessionMessenger, photo: Data
) async throws {
  // The script `run` replaces this line by the code blocks of the article.
}
