// Swift Testing imports the module `_Testing_CoreGraphics` in every file that also imports CoreGraphics. On Apple's systems,
// `_Testing_CoreGraphics` attaches images to tests. Here it is empty, so that such a file compiles.
