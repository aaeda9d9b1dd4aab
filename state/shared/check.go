package shared

import (
	"time"

	"exoshift/state/upgrade"
)

const checkName = "check.json"

// Check is what somebody without the cluster's lock has found out about it: whether it is as its answers say, and how it is.
type Check struct {
	Format     int       `json:"v"`
	Cluster    string    `json:"cluster"`
	Number     int       `json:"number"`  // grows with each check
	Counter    int       `json:"counter"` // of the head that was checked: what a later run found is newer
	Time       time.Time `json:"time"`
	Drift      *bool     `json:"drift,omitempty"` // whether an installation would change anything; nil: it is not known
	Polled     bool      `json:"polled"`          // the cluster itself was asked; what follows is of that
	Version    string    `json:"version,omitempty"`
	NodesReady int       `json:"nodes_ready,omitempty"`
	Nodes      int       `json:"nodes,omitempty"`
	Degraded   []string  `json:"degraded,omitempty"` // operators
	Findings   []string  `json:"findings,omitempty"` // a sentence each
	// Updates are what the cluster can be updated to, the newest first; nil: that is not known.
	Updates []upgrade.Update `json:"updates,omitzero"`
	Nonce   string           `json:"nonce"`
	MAC     string           `json:"mac"`
}

func (c Check) keepUnknown(last Check) Check {
	if last.Counter != c.Counter {
		return c
	}
	if c.Drift == nil {
		c.Drift = last.Drift
	}
	if !c.Polled && last.Polled {
		c.Polled, c.Version, c.NodesReady, c.Nodes, c.Degraded, c.Findings = true, last.Version, last.NodesReady, last.Nodes, last.Degraded, last.Findings
		c.Updates = last.Updates
	}
	return c
}

func checkKey(id string) string { return clustersPrefix + id + "/" + checkName }
