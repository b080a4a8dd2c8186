"""The fixtures are in a module of their own, for other tests of a running gateway use them too."""

pytest_plugins = ["gateway_fixtures"]
