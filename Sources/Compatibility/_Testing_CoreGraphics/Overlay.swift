// Swift Testing imports a module of this name in every file that also imports CoreGraphics. On Apple's systems, that module
// attaches images to tests. Here the module is empty, and such a file compiles.
