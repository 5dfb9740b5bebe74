"""Names of the groups into which questions fall where training sets are named."""

CLEAN, LEAKED = "clean", "leaked"
