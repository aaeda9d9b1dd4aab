package state

// ChecksPath returns where runs are noted that make a machine in the zone for a moment, to check what it reaches:
// $XDG_STATE_HOME/exoshift/.checks, with ~/.local/state in the variable's place if it is not set.
func ChecksPath() (string, error) { return DefaultPath(".checks") }
