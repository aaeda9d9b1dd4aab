package upgrade

import (
	"context"

	"exoshift/internal/app/nodes"
	stateupgrade "exoshift/state/upgrade"
)

// recordVersion records the release that the cluster has, for status and the hand-over: its own controller, or a person, may have updated
// it. Whoever only lists updates has not locked the folder, and perhaps cannot write it: what is not recorded then is recorded next time.
func (c Cluster) recordVersion(ctx context.Context, status stateupgrade.Status, wanted Request) error {
	if wanted.DryRun || status.Partial || status.Version == "" || status.Version == c.Facts.Version() || c.Facts.Upgrade != nil {
		return nil
	}
	if wanted.Changes() {
		return c.saveVersion(status.Version)
	}
	if unlock, err := c.Folder.Lock(ctx); err == nil {
		defer unlock()
		_ = c.saveVersion(status.Version)
	}
	return nil
}

func (c Cluster) saveVersion(version string) error {
	facts, err := c.Folder.LoadFacts()
	if err != nil || facts.Upgrade != nil {
		return err
	}
	facts.CurrentVersion = version
	if err := c.Folder.SaveFacts(facts); err != nil {
		return err
	}
	return nodes.RewriteHandover(c.Cluster)
}
