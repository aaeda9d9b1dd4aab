package reach

// Demand is one line of a firewall request: what those who run the network are asked for.
type Demand struct {
	ID          string
	Source      string // for people, e.g. "this workstation (192.0.2.10)" or "the nodes in ch-gva-2"
	Destination string // host name
	Port        string // e.g. "443/tcp"
	Reason      string // what it is needed for
	Proof       string // what was seen, with the layer, e.g. "DNS ok, TCP no answer in 5 s from 203.0.113.9"
	Owner       string // who can change it
}

// Demands returns what to ask for after a report, those that must be reached first. Checks are those of the task.
func Demands(report Report, checks []Check) []Demand {
	return nil // TODO
}
