package install

import (
	"context"
	"errors"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// The hint is the most likely cause.
func (i *Installation) wrapTimeout(ctx context.Context, err error) error {
	var limit *provisioner.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	const op = "wait for the cluster"
	if findings := i.Findings(); len(findings) > 0 {
		return fault.Newf(fault.Timeout, op, "%w; most likely: %s", err, findings[0].Cause).WithHint("%s", findings[0].Fix)
	}
	if closed, lookErr := i.securityGroups.ListClosedPorts(ctx); lookErr == nil && len(closed) > 0 {
		return fault.Newf(fault.Timeout, op, "%s; %w", strings.Join(closed, "; "), err).
			WithHint("run the same command again: it adds the missing rules and goes on")
	}
	if silent := i.listMissingMasters(); len(silent) > 0 {
		return fault.New(fault.Timeout, op, err).
			WithHint("look at the console of %s in the Exoscale portal; if it is stuck, delete the machine and run the same command again", strings.Join(silent, " and "))
	}
	return err
}

func (i *Installation) listMissingMasters() []string {
	var silent []string
	for _, master := range i.spec.Machines(state.RoleMaster) {
		if strings.HasPrefix(i.states.Get("node/"+master.Name), nodeBooting) {
			silent = append(silent, master.Name)
		}
	}
	return silent
}
