// Whoever imports the module has `UUID`, `Data` and `URL`, as with Apple's.
@_exported public import FoundationEssentials
