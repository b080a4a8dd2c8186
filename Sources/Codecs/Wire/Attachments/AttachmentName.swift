/// What an attachment is called: shown to people and offered when it is saved, never used as a path by the gateway.
package enum AttachmentName {
  /// The most Unicode scalars of a name, which come to 1,020 bytes at most.
  package static let maximumScalars = 255
  /// What an attachment without a name is called.
  package static let missing = "attachment"

  /// The name within the rules: control, format and line characters but joiners taken out, trimmed and cut; `missing` when nothing is left.
  package static func sanitised(_ name: String?) -> String {
    guard let name else { return missing }
    return ShownText.sanitised(name, maximumScalars: maximumScalars, keepsJoiners: true) ?? missing
  }
}
