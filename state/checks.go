package state

// ChecksPath returns the folder of runs that create a short-lived machine in the zone for connectivity checks:
// $XDG_STATE_HOME/exoshift/.checks, with ~/.local/state in the variable's place if it is not set.
func ChecksPath() (string, error) { return DefaultPath(".checks") }
