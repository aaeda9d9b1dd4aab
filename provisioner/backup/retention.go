package backup

import "time"

// Retention is which backups are kept: each that one of its rules keeps.
type Retention struct {
	Count  int           // the newest ones
	Within time.Duration // those that are not older
}

// Choose returns the backups to delete of all, which are sorted, the newest first. The newest verified one is never among them.
func (r Retention) Choose(all []Backup, now time.Time) (deleted []Backup) {
	verified := false
	for i, one := range all {
		newest := one.IsVerified() && !verified
		verified = verified || newest
		if newest || i < r.Count || r.Within > 0 && now.Sub(one.Created) <= r.Within {
			continue
		}
		deleted = append(deleted, one)
	}
	return deleted
}
