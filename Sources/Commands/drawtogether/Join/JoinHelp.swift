/// The output of `drawtogether join --help`.
enum JoinHelp {
  static let text = """
    Takes part in a session from a terminal, as one more participant.

    Usage: drawtogether join LINK watch [--once]           shows the board as dots, live; without a
                                                           terminal, or with --once, one picture
           drawtogether join LINK say TEXT [--at X,Y]      adds a text to the board
           drawtogether join LINK attach FILE              adds a picture or a file
                        [--at X,Y] [--size W]
           drawtogether join LINK tail [--since-start]     prints events as lines of JSON;
                                                           --since-start: also stored events

    LINK is the address that the page shares: http(s)://HOST/s/ID. Everyone who has it can join.

      --at X,Y              upper left corner on the canvas, in points [below everything else]
      --size W              width in points [size of the picture, at most 400 points per side]
      --name NAME           name for other participants [made up by the gateway]
      --color #RRGGBB       color for other participants, and of the text [chosen by the gateway]
      --certificates FILE   PEM file with additional trusted certificates, for a gateway with a
                            self-signed certificate: tls-cert.pem in its data folder; also set by
                            DRAWTOGETHER_GATEWAY_CERTIFICATES

    say and attach return when the item is on the gateway's disk. Ctrl-C leaves the session. Exit
    codes: 0 success, or the session has ended, 1 failure, 2 invalid arguments.

    """
}
