import Testing
import Wire

@testable import SessionClient

@Suite("The profile of a client, and when it is sent")
struct LocalProfileTests {
  @Test("A profile that was sent in the join is sent again only after a change")
  func join() {
    var profile = LocalProfile(Profile(name: "Ada"))
    #expect(profile.needsSending)
    profile.recordSentInJoin()
    #expect(!profile.needsSending)
    profile.merge(Profile(color: "#123456"))
    #expect(profile.needsSending)
    #expect(profile.value == Profile(name: "Ada", color: "#123456"))
  }

  @Test("A refused profile is sent again only if it was sent in a message of its own, not in `join`")
  func refusal() {
    var profile = LocalProfile(Profile(name: "Ada"))
    profile.recordSentInJoin()
    profile.repeatSending()
    #expect(!profile.needsSending)
    profile.replace(Profile(name: "Eve"))
    profile.recordSentAlone()
    #expect(!profile.needsSending)
    profile.repeatSending()
    #expect(profile.needsSending)
  }
}
