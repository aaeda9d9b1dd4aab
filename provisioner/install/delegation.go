package install

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
)

const pollDNS = 15 * time.Second

// Machines could not resolve the cluster's names without the delegation. Only a human can add it, so the action lists the
// records, and the step continues once they exist.
func (i *Installation) waitDelegation() provisioner.StepFunc {
	limit := i.options.WaitForDNS
	if limit == 0 {
		limit = DefaultWaitForDNS
	}
	wait := provisioner.PollUntil(i.clients.Clock, pollDNS, limit, i.checkDelegation)
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return fault.New(fault.Waiting, "wait until the domain is delegated", err).
			WithHint("%s\nThen run the same command again.", i.formatDelegation())
	}
}

func (i *Installation) checkDelegation(ctx context.Context, report provisioner.Report) error {
	parent, servers, err := i.clients.Names.LookupNameServers(ctx, i.spec.Domain())
	if err != nil {
		return err
	}
	i.mu.Lock()
	i.parent = parent
	i.mu.Unlock()
	if err := i.compareServers(parent, servers); err != nil {
		if i.states.Update("delegation", err.Error()) {
			report.EmitActionNeeded(i.formatDelegation())
		}
		return err
	}
	return i.checkNameServers(ctx)
}

func (i *Installation) compareServers(parent string, has []string) error {
	var missing, foreign []string
	for _, server := range i.zone.NameServers {
		if !slices.Contains(has, server) {
			missing = append(missing, server)
		}
	}
	for _, server := range has {
		if !slices.Contains(i.zone.NameServers, server) {
			foreign = append(foreign, server)
		}
	}
	switch {
	case len(has) == 0:
		return fmt.Errorf("%s does not delegate %s yet", parent, i.spec.Domain())
	case len(missing)+len(foreign) > 0:
		return fmt.Errorf("%s delegates %s to %s; missing: %s; wrong: %s", parent, i.spec.Domain(),
			strings.Join(has, ", "), formatOrNone(missing), formatOrNone(foreign))
	}
	return nil
}

func formatOrNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (i *Installation) checkNameServers(ctx context.Context) error {
	if i.spec.IsRoundRobin() {
		return nil
	}
	name := "api." + i.spec.Domain()
	for _, server := range i.zone.NameServers {
		addresses, err := i.clients.Names.QueryAddresses(ctx, server, name)
		if err != nil {
			return err
		}
		if len(addresses) != 1 || addresses[0].String() != i.api.Address {
			return fmt.Errorf("%s says that %s has the addresses %v, not %s", server, name, addresses, i.api.Address)
		}
	}
	return nil
}

func (i *Installation) findParentZone() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.parent == "" {
		return i.spec.Cluster.BaseDomain
	}
	return i.parent
}

func (i *Installation) formatDelegation() string {
	lines := []string{"The zone " + i.findParentZone() + " needs exactly these NS records:"}
	for _, server := range i.zone.NameServers {
		lines = append(lines, fmt.Sprintf("%s. 3600 IN NS %s.", i.spec.Domain(), strings.TrimSuffix(server, ".")))
	}
	return strings.Join(lines, "\n")
}
