// Swift Testing asks for a module of this name wherever it is imported beside one named CoreGraphics. On Apple's systems it
// attaches images to tests; here there is nothing to attach, and without it such a file would not compile.
