import FoundationEssentials
import Testing
import Wire

@testable import SessionClient

@Suite("A client's memory stays bounded, even if the gateway names too many participants")
struct MemoryLimitTests {
  @Test(
    "DeduplicationTable forgets the oldest senders; the number that it keeps is between its limit and twice its limit"
  )
  func senders() {
    var table = DeduplicationTable(limit: 4)
    func repeats(_ senders: ClosedRange<UInt32>) -> [Bool] {
      senders.map { table.isRepeat(5, of: $0) }
    }
    #expect(repeats(1...8) == Array(repeating: false, count: 8))
    #expect(repeats(1...8) == Array(repeating: true, count: 8), "not more than twice the limit")
    #expect(repeats(9...9) == [false])
    #expect(repeats(6...9) == Array(repeating: true, count: 4))
    #expect(repeats(5...5) == [false], "forgotten")
  }

  @Test("The participant list keeps only the newest past participants, up to its limit")
  func past() {
    var list = ParticipantList(pastLimit: 4)
    let people = (1...9).map { number in
      Participant(id: UUID(), number: UInt32(number), name: "P\(number)", color: "#ffffff")
    }
    list.apply(ParticipantsPayload(past: Array(people.prefix(8))))
    #expect(list.participant(1).name == "P1")
    list.apply(ParticipantsPayload(past: [people[8]]))
    #expect(list.participant(1).name == "Participant 1")
    #expect((6...9).map { list.participant($0).name } == ["P6", "P7", "P8", "P9"])
  }
}
