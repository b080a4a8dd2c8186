// The first type of this target lands here.
