// Foundation on Linux declares these types. Code for Apple's systems imports them from CoreGraphics, so this module exports them
// under that name. Their encoding is the same as on Apple's systems: a point is `[x,y]`.
@_exported public import struct Foundation.CGFloat
@_exported public import struct Foundation.CGPoint
@_exported public import struct Foundation.CGRect
@_exported public import struct Foundation.CGSize
