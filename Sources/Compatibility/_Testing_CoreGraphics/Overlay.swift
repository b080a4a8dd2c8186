// Swift Testing imports a module of this name in every file that also imports CoreGraphics. On Apple's systems it attaches
// images to tests. Here it is empty, and makes such a file compile.
