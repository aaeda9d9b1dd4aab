package backup_test

import (
	"slices"
	"testing"
	"time"

	"exoshift/provisioner/backup"
	vocabulary "exoshift/state/backup"
)

func TestRetention_Choose(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 9, 22, 0, 0, 0, time.UTC)
	one := func(name string, age time.Duration, verified bool, problem string) backup.Backup {
		b := backup.Backup{Manifest: vocabulary.Manifest{Name: name, Created: now.Add(-age)}, Problem: problem}
		if verified {
			b.Verified.At = b.Created
		}
		return b
	}
	all := []backup.Backup{
		one("damaged", time.Hour, true, "snapshot.db is gone"), one("unverified", 2*time.Hour, false, ""),
		one("good", 3*time.Hour, true, ""), one("older", 48*time.Hour, true, ""), one("oldest", 72*time.Hour, true, ""),
	}
	for name, c := range map[string]struct {
		kept    backup.Retention
		deleted []string
	}{
		"a count":                    {backup.Retention{Count: 1}, []string{"unverified", "older", "oldest"}},
		"an age":                     {backup.Retention{Within: 50 * time.Hour}, []string{"oldest"}},
		"each rule keeps":            {backup.Retention{Count: 4, Within: time.Hour}, []string{"oldest"}},
		"a short age, and good ones": {backup.Retention{Within: time.Minute}, []string{"damaged", "unverified", "older", "oldest"}},
	} {
		var deleted []string
		for _, b := range c.kept.Choose(all, now) {
			deleted = append(deleted, b.Name)
		}
		if !slices.Equal(deleted, c.deleted) {
			t.Errorf("%s: deleted %q, want %q", name, deleted, c.deleted)
		}
	}
}
