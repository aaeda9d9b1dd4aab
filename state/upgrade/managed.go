package upgrade

import (
	"cmp"
	"slices"
	"time"
)

// Managed is what a cluster's own upgrade controller is told to do.
type Managed struct {
	Channel   string // that the controller has the cluster follow; "": it has no ClusterVersion of its own
	Schedules []Schedule
	Jobs      []string // names of UpgradeJobs that have not ended
}

// Schedule is an UpgradeConfig: when the upgrade controller updates the cluster.
type Schedule struct {
	Name      string    `json:"name"`
	Cron      string    `json:"cron"`
	IsoWeek   string    `json:"iso_week,omitempty"` // @even, @odd or a number; "": every week
	Location  string    `json:"location"`           // time zone of the cron expression
	Suspended bool      `json:"suspended"`
	Next      time.Time `json:"next,omitzero"` // when its next window begins; zero: the controller has not said so
}

// Configuration is what is changed about the updates of a cluster in the configuration of its tenant.
type Configuration struct {
	Channel string   // ""; it stays
	Configs []string // names of the UpgradeConfigs that are suspended, or whose suspension ends
	Suspend bool     // of Configs
}

// IsEmpty reports whether nothing is changed.
func (c Configuration) IsEmpty() bool { return c.Channel == "" && len(c.Configs) == 0 }

// FindNewest returns the release that the upgrade controller takes in its next window: the newest one that is recommended; nil: there is none.
func (s Status) FindNewest() *Release {
	for i := range s.Updates {
		if s.Updates[i].Recommended {
			return &s.Updates[i]
		}
	}
	return nil
}

// ListSuspended returns the names of the schedules that are suspended.
func (m Managed) ListSuspended() []string { return m.list(true) }

// ListActive returns the names of the schedules that are not suspended.
func (m Managed) ListActive() []string { return m.list(false) }

func (m Managed) list(suspended bool) (names []string) {
	for _, one := range m.Schedules {
		if one.Suspended == suspended {
			names = append(names, one.Name)
		}
	}
	return names
}

// With returns what it is once the configuration is changed. When a window begins whose suspension ends is not known.
func (m Managed) With(changed Configuration) Managed {
	m.Channel = cmp.Or(changed.Channel, m.Channel)
	m.Schedules = slices.Clone(m.Schedules)
	for i := range m.Schedules {
		if slices.Contains(changed.Configs, m.Schedules[i].Name) {
			m.Schedules[i].Suspended = changed.Suspend
		}
	}
	return m
}
