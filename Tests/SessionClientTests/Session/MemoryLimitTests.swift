import FoundationEssentials
import Testing
import Wire

@testable import SessionClient

@Suite("What a participant's harness remembers of a gateway that names ever more people")
struct MemoryLimitTests {
  @Test("of whom it was told what: the newest, and those for certain")
  func senders() {
    var told = DeduplicationTable(limit: 4)
    func repeats(_ senders: ClosedRange<UInt32>) -> [Bool] {
      senders.map { told.isRepeat(5, of: $0) }
    }
    #expect(repeats(1...8) == Array(repeating: false, count: 8))
    #expect(repeats(1...8) == Array(repeating: true, count: 8), "not more than twice the limit")
    #expect(repeats(9...9) == [false])
    #expect(repeats(6...9) == Array(repeating: true, count: 4))
    #expect(repeats(5...5) == [false], "forgotten")
  }

  @Test("who left: the newest")
  func past() {
    var company = ParticipantList(pastLimit: 4)
    let people = (1...9).map { number in
      Participant(id: UUID(), number: UInt32(number), name: "P\(number)", color: "#ffffff")
    }
    company.apply(ParticipantsPayload(past: Array(people.prefix(8))))
    #expect(company.participant(1).name == "P1")
    company.apply(ParticipantsPayload(past: [people[8]]))
    #expect(company.participant(1).name == "Participant 1")
    #expect((6...9).map { company.participant($0).name } == ["P6", "P7", "P8", "P9"])
  }
}
