// Foundation on Linux has these types. This module exports them under the name that code for Apple's systems imports. They
// are the same types, and are encoded as on Apple's systems: a point is `[x,y]`.
@_exported public import struct Foundation.CGFloat
@_exported public import struct Foundation.CGPoint
@_exported public import struct Foundation.CGRect
@_exported public import struct Foundation.CGSize
