package install

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	// certificateStaleAge is the age from which on a control plane should not be started with its first certificates: the
	// cluster renews them between the 12th and the 24th hour (openshift-install, tls assets).
	certificateStaleAge = 12 * time.Hour
	// certificateExpiryAge is the age at which the first of them have expired.
	certificateExpiryAge = 24 * time.Hour
)

const renewHint = "run again with --renew-certificates: it generates new ones, starts the machines anew that were given the old ones, and keeps everything else"

// Certificates are valid by the wall clock, in a rehearsal too.
func (i *Installation) emitCertificates(report provisioner.Report) {
	created, expires := i.ignition.Created, i.ignition.Expires
	report(provisioner.Event{Type: provisioner.TypeCertificates, Since: &created, Until: &expires})
	if age := time.Since(created); age >= certificateStaleAge && !i.Facts().IsBootstrapped() {
		report.EmitProgress(fmt.Sprintf("the certificates are %s old already: the bootstrap has to be complete in %s",
			age.Round(time.Minute), max(0, time.Until(expires)).Round(time.Minute)))
	}
}

// checkAge refuses to start a control plane whose first certificates expire before it can renew them. A bootstrap machine
// that runs already is kept as long as its cluster answers: it may have renewed them.
func (i *Installation) checkAge(ctx context.Context) error {
	now := time.Now()
	if now.Before(i.ignition.Expires) && now.Sub(i.ignition.Created) < certificateExpiryAge {
		return nil
	}
	if runs, err := i.hasReached(ctx, state.PhaseTemporaryAPI); runs || err != nil {
		return err
	}
	return fault.Newf(fault.Invalid, "start the bootstrap machine", "the certificates in bootstrap.ign are %s old and ended at %s",
		now.Sub(i.ignition.Created).Round(time.Minute), i.ignition.Expires.Format(time.RFC3339)).WithHint(renewHint)
}

// Answers of the cluster count from the second poll in a row, and a failed connection proves little, since machines may
// be deleted if the phase is not reached.
func (i *Installation) hasReached(ctx context.Context, phase string) (bool, error) {
	const looks, pause = 5, 3 * time.Second
	for range looks {
		seen, err := i.clients.Cluster.Poll(ctx, netip.Addr{}, nil)
		if seen.Bootstrap.Has(phase) {
			return true, nil
		}
		if err == nil && seen.Bootstrap.Has(state.PhaseTemporaryAPI) {
			return false, nil
		}
		if err := i.clients.Clock.Sleep(ctx, pause); err != nil {
			return false, err
		}
	}
	return false, nil
}

// Sixteen digits suffice to distinguish generations.
func formatRootCALabel(rootCAHash string) string { return rootCAHash[:min(len(rootCAHash), 16)] }

// The hash "" means no certificates at all. Load balancers have none.
func hasOtherCertificates(labels map[string]string, rootCAHash string) bool {
	same := rootCAHash != "" && labels[state.LabelRootCA] == formatRootCALabel(rootCAHash)
	return labels[state.LabelRole] != string(state.RoleLoadBalancer) && !same
}
