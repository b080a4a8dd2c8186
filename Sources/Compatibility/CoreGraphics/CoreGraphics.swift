// Foundation has these on Linux; here they can be had under the name that code from Apple's systems imports, and are
// the same types, whichever of the two is imported, or both. They are encoded as there: a point is `[x,y]`.
@_exported public import struct Foundation.CGFloat
@_exported public import struct Foundation.CGPoint
@_exported public import struct Foundation.CGRect
@_exported public import struct Foundation.CGSize
