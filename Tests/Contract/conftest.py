"""Imports the fixtures, which are in a module of their own because other tests of a running gateway use them too."""

pytest_plugins = ["gateway_fixtures"]
