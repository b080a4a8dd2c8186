import Testing
import Wire

@testable import Gateway

@Suite("The beginning and the end of a refusal of new data are logged")
struct DataRefusalLogTests {
  @Test(
    "While new data is refused, only the first refusal is logged, with its reason; the end of the refusals is logged once"
  )
  func changes() {
    let lines = LogLines()
    let log = DataRefusalLog(lines.log)
    log.update(nil)
    #expect(lines.count == 0)
    let refusal = Refusal(.storageFull, "The disk is full.")
    log.update(refusal)
    #expect(lines.count == 1)
    #expect(lines.last?.contains("level=error") == true)
    #expect(lines.last?.contains("reason=\"The disk is full.\"") == true)
    log.update(refusal)
    #expect(lines.count == 1)
    log.update(nil)
    #expect(lines.count == 2)
    #expect(lines.last?.contains("level=info") == true)
    log.update(nil)
    #expect(lines.count == 2)
  }
}
