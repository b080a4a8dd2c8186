/// What `drawtogether join --help` prints.
enum JoinHelp {
  static let text = """
    Takes part in a session from a terminal, as one more participant.

    Usage: drawtogether join LINK watch [--once]           the board in dots, live; without a terminal
                                                           one picture of it
           drawtogether join LINK say TEXT [--at X,Y]      puts words on the board
           drawtogether join LINK attach FILE              adds a picture or a file
                        [--at X,Y] [--size W]
           drawtogether join LINK tail [--since-start]     what happens as lines of JSON; --since-start:
                                                           also what is kept from before

    LINK is what the page's address is when it is shared: http(s)://HOST/s/ID. Who has it can join.

      --at X,Y              the upper left corner on the canvas, in points [below what is there]
      --size W              how wide it shall be, in points [as the file says; a picture within 400]
      --name NAME           what the others see [made up by the gateway]
      --color #RRGGBB       the same, and the color of what is said [chosen by the gateway]
      --certificates FILE   a PEM file that is believed besides the system's authorities, for a gateway
                            that made its certificate itself: its data folder has it as tls-cert.pem;
                            also by DRAWTOGETHER_GATEWAY_CERTIFICATES

    say and attach return when all of it is on the gateway's disk. Ctrl-C leaves the session. Exit
    codes: 0 done, or the session has ended, 1 it could not be done, 2 it was asked wrongly.

    """
}
