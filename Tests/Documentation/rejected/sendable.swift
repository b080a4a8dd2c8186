// error: type 'Quiz' does not conform to the 'Sendable' protocol
import GroupActivities

final class Question: Codable {
  var text = ""
}

struct Quiz: GroupActivity {
  var question: Question
  var metadata: GroupActivityMetadata { GroupActivityMetadata() }
}

func needsSendable<Value: Sendable>(_ type: Value.Type) {}

needsSendable(GroupSession<Quiz>.self)
