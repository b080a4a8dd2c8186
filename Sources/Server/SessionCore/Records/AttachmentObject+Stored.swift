internal import FoundationEssentials
package import Wire

extension AttachmentObject {
  /// Reads the payload of an `attachment` entry that SessionCore wrote. The text of the client's metadata is not changed.
  ///
  /// - Throws: `RecordError` for any other payload, and for values that no session writes.
  package init(stored payload: Span<UInt8>, key: EntryKey) throws(RecordError) {
    let members: RecordMembers
    do throws(RecordError) {
      members = try RecordMembers(.run, payload)
      self = try AttachmentObject(members, key, metadata: try Self.metadata(payload))
    } catch {
      if case .invalidMember(let name) = error.fault { throw RecordError(.run, .attachment(name)) }
      throw RecordError(.run, .attachment(""))
    }
  }

  private init(
    _ members: RecordMembers, _ key: EntryKey, metadata: AttachmentMetadata?
  ) throws(RecordError) {
    let id = try members.uuid("id")
    guard EntryKey(id) == key else { throw members.wrong("id") }
    guard let state = State(rawValue: try members.text("state")) else { throw members.wrong("state") }
    let size: UInt64? = try members.optionalInteger("size")
    let offset: UInt64 = try members.integer("offset")
    guard max(size ?? 0, offset) <= UploadRecord.largestSize else { throw members.wrong("size") }
    let digest = try members.optionalText("sha256")
    guard digest.map(UploadRecord.isDigest) ?? (state == .uploading) else { throw members.wrong("sha256") }
    self.init(
      id: id, name: try members.text("name"), contentType: try members.text("contentType"), size: size,
      sha256: digest, metadata: metadata, participant: try members.optionalInteger("participant"),
      state: state, offset: offset, createdAt: try members.date("createdAt"), url: try members.text("url"))
  }

  private static func metadata(_ payload: Span<UInt8>) throws(RecordError) -> AttachmentMetadata? {
    let range: Range<Int>?
    do throws(WireError) {
      range = try JSONParser.range(of: "metadata", in: payload, combiningLimit: .max)
    } catch {
      throw RecordError(.run, .notJSON)
    }
    guard let range else { return nil }
    do throws(Refusal) {
      return try AttachmentMetadata.parse(payload.extracting(range), limit: range.count, combiningLimit: .max)
    } catch {
      throw RecordError(.run, .invalidMember("metadata"))
    }
  }
}
