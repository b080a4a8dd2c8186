import Glibc

exit(BenchCommand.ofThisProcess().run())
