package fleet

import (
	"fmt"
	"strings"
	"time"

	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/upgrade"
)

// Cluster is how one cluster of a fleet is. Its JSON is a stable interface; what else is known is for people.
type Cluster struct {
	ID          string     `json:"id"`
	Zone        string     `json:"zone"`
	Version     string     `json:"version"`
	Phase       string     `json:"phase"`
	Run         Run        `json:"run"`
	NodesReady  int        `json:"nodes_ready"`
	Nodes       int        `json:"nodes"`
	Findings    []string   `json:"findings"` // a sentence each: of the last run or check, with degraded operators
	Drift       *bool      `json:"drift"`    // at the last check; null: it was never checked
	CostMonth   float64    `json:"cost_month"`
	LastSuccess *time.Time `json:"last_success"`
	// Updates are what it can be updated to, the newest first, at the last check of the cluster itself; null: that is not known.
	Updates []upgrade.Update `json:"updates"`

	Labels     map[string]string `json:"-"`
	Degraded   []string          `json:"-"` // operators
	Expires    time.Time         `json:"-"` // of the certificates to start it with; zero: it has started
	Checked    time.Time         `json:"-"` // zero: the drift is that of a run that has succeeded, or unknown
	Lieutenant string            `json:"-"`
	Tenant     string            `json:"-"`
	Summarized bool              `json:"-"` // a run has kept what is said above
	Counter    int               `json:"-"` // of its shared state
}

// Run is the last run on a cluster.
type Run struct {
	State  string     `json:"state"` // running, ok, failed, interrupted or lost; "": there was none
	Holder string     `json:"holder"`
	Since  *time.Time `json:"since"`
}

// PhaseUnreadable is of a cluster whose shared state cannot be read or trusted.
const PhaseUnreadable = "unreadable"

// lostAfter is how long the lock of a run that lives is not renewed at most, by clocks that differ by minutes.
const lostAfter = 2 * lease.Lifetime

// newCluster joins the summary of a run and the check after it.
func newCluster(status shared.Status, now time.Time) Cluster {
	c := Cluster{ID: status.ID, Phase: PhaseNew, Findings: []string{}, Counter: status.Counter, Summarized: status.Summary != nil}
	if status.Err != nil {
		c.Phase, c.Findings = PhaseUnreadable, []string{status.Err.Error()}
		return c
	}
	if status.Summary != nil {
		c.addSummary(*status.Summary, status.Lease, now)
	}
	// The run that has written the head last knows better than a check of what was before it.
	if check := status.Check; check != nil {
		if check.Drift != nil && (c.Drift == nil || check.Counter >= c.Counter) {
			c.Drift, c.Checked = check.Drift, check.Time
		}
		if check.Polled && check.Counter >= c.Counter && c.Phase != PhaseDestroyed {
			c.NodesReady, c.Nodes, c.Degraded, c.Version = check.NodesReady, check.Nodes, check.Degraded, check.Version
			c.Updates = check.Updates
			c.Findings = append([]string{}, check.Findings...)
		}
	}
	for _, name := range c.Degraded {
		c.Findings = append(c.Findings, fmt.Sprintf("operator %s is degraded", name))
	}
	return c
}

func (c *Cluster) addSummary(s shared.Summary, held *lease.Record, now time.Time) {
	c.Zone, c.Version, c.Phase, c.Labels = s.Zone, s.Version, s.Phase, s.Labels
	c.Nodes, c.NodesReady, c.Degraded, c.CostMonth = s.Nodes, s.NodesReady, s.Degraded, s.CostMonth
	c.Expires, c.Lieutenant, c.Tenant = s.Expires, s.Lieutenant, s.Tenant
	c.Findings = append([]string{}, s.Findings...)
	if !s.LastSuccess.IsZero() {
		c.LastSuccess = &s.LastSuccess
	}
	c.Run.State = s.Run.State
	if holder := s.Run.Holder; holder != nil {
		c.Run.Holder, c.Run.Since = formatHolder(*holder), &holder.Since
		if s.Run.State == shared.RunRunning && isLost(*holder, held, now) {
			c.Run.State = shared.RunLost
		}
	}
	if s.Phase == PhaseInstalled && s.Run.State == shared.RunOK && s.Run.Holder != nil && s.Run.Holder.Verb == VerbInstall {
		c.Drift = new(bool) // an installation that succeeds has made it as its answers say
	}
}

// isLost reports whether the lock of a run that has not ended is free, another's, or not renewed.
func isLost(holder lease.Holder, held *lease.Record, now time.Time) bool {
	return held == nil || held.Holder == nil || held.Holder.Run != holder.Run || now.Sub(held.Renewed) > lostAfter
}

func formatHolder(h lease.Holder) string {
	if h.Job != "" {
		return h.Job
	}
	return h.User + "@" + h.Host
}

// DescribeUpdates returns what it can be updated to as a sentence; "": nothing, or that is not known.
func (c Cluster) DescribeUpdates() string {
	var parts []string
	for _, one := range c.Updates {
		part := one.Version
		if !one.Recommended {
			part += " (not recommended)"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return "it can be updated to " + strings.Join(parts, ", ")
}

// ListFaults returns what keeps a cluster from being healthy and without drift, a sentence each; none: it is.
func (c Cluster) ListFaults() []string {
	var faults []string
	switch {
	case c.Phase == PhaseUnreadable:
		return c.Findings
	case c.Run.State == shared.RunRunning:
		faults = append(faults, "a run works on it: "+c.Run.Holder)
	case c.Run.State == "":
	case c.Run.State != shared.RunOK:
		faults = append(faults, "the last run ended as "+c.Run.State)
	}
	if c.Phase != PhaseInstalled {
		faults = append(faults, "it is not installed: its phase is "+c.Phase)
	}
	if c.NodesReady < c.Nodes || c.Nodes == 0 {
		faults = append(faults, fmt.Sprintf("%d of %d nodes are ready", c.NodesReady, c.Nodes))
	}
	faults = append(faults, c.Findings...)
	switch {
	case c.Drift == nil:
		faults = append(faults, "whether it has drifted was never checked: exoshift plan --expect-no-change "+c.ID)
	case *c.Drift:
		faults = append(faults, "it has drifted from its answers: exoshift plan "+c.ID)
	}
	return faults
}
