package generation

import (
	"context"
	"net/netip"
	"strings"
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

// RenewHint says how certificates are replaced.
const RenewHint = "run again with --renew-certificates: it generates new ones, recreates the machines with the old ones, and keeps everything else"

// CheckAge refuses to start a control plane whose first certificates expire before it can renew them. A bootstrap machine
// that runs already is kept as long as its cluster answers: it may have renewed them.
func CheckAge(ctx context.Context, generated state.Ignition, cluster Cluster, clock provisioner.Clock) error {
	now := time.Now()
	if now.Before(generated.Expires) && now.Sub(generated.Created) < certificateExpiryAge {
		return nil
	}
	if runs, err := HasReached(ctx, cluster, clock, state.PhaseTemporaryAPI); runs || err != nil {
		return err
	}
	return fault.Newf(fault.Invalid, "start the bootstrap machine", "the certificates in bootstrap.ign are %s old and expired at %s",
		now.Sub(generated.Created).Round(time.Minute), generated.Expires.Format(time.RFC3339)).WithHint(RenewHint)
}

// HasReached reports whether the cluster has reached a phase of the bootstrap. Its answers count from the second
// poll in a row, and a failed connection proves little, since machines may be deleted if the phase is not reached.
func HasReached(ctx context.Context, cluster Cluster, clock provisioner.Clock, phase string) (bool, error) {
	const looks, pause = 5, 3 * time.Second
	for range looks {
		seen, err := cluster.Poll(ctx, netip.Addr{}, nil)
		if seen.Bootstrap.Has(phase) {
			return true, nil
		}
		if err == nil && seen.Bootstrap.Has(state.PhaseTemporaryAPI) {
			return false, nil
		}
		if err := clock.Sleep(ctx, pause); err != nil {
			return false, err
		}
	}
	return false, nil
}

// FormatRootCALabel returns the label of machines that trust a root CA. Sixteen digits suffice to distinguish generations.
func FormatRootCALabel(rootCAHash string) string {
	if rootCAHash == "" {
		return ""
	}
	return state.RootCALabelPrefix + shortenHash(rootCAHash)
}

func shortenHash(hash string) string { return hash[:min(len(hash), 16)] }

// HasOtherCertificates reports whether a machine of these labels trusts another root CA. The hash "" means no
// certificates at all. Load balancers have none.
func HasOtherCertificates(labels map[string]string, rootCAHash string) bool {
	// Earlier versions set the hash alone.
	same := rootCAHash != "" && strings.TrimPrefix(labels[state.LabelRootCA], state.RootCALabelPrefix) == shortenHash(rootCAHash)
	return labels[state.LabelRole] != string(state.RoleLoadBalancer) && !same
}
