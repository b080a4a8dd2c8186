// As with Apple's module, importing GroupActivities makes `UUID`, `Data` and `URL` available.
@_exported public import FoundationEssentials
