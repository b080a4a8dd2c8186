import Glibc

exit(DrawTogetherCommand.ofThisProcess().run())
