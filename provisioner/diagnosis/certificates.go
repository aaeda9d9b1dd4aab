package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"exoshift/state"
)

func buildCertificateRules() []Rule {
	return []Rule{{
		ID:    "certificate-expired",
		Cause: "The API shows a certificate that is not valid now: it has expired, or a clock is wrong.",
		Fix: "To see which of the two it is, compare the certificate's dates with the clocks:\n" +
			"echo | openssl s_client -connect api.{domain}:6443 2>/dev/null | openssl x509 -noout -dates; date -u",
		Confidence:  High,
		Disposition: Stop,
		Blocks:      Bootstrap,
		HoldFor:     time.Minute,
		WithoutAPI:  true,
		detect:      detectExpiredCertificate,
	}, {
		ID:    "foreign-authority",
		Cause: "The API that answers belongs to another cluster, or to an earlier attempt at this one.",
		Fix: "See whose certificate it is, and remove the DNS record or address that points there:\n" +
			"echo | openssl s_client -connect api.{domain}:6443 -showcerts 2>/dev/null | grep -E '^ *[0-9]* *(s|i):'",
		Confidence:  High,
		Disposition: Stop,
		Blocks:      Bootstrap,
		HoldFor:     time.Minute,
		WithoutAPI:  true,
		detect:      detectForeignAuthority,
	}}
}

func detectExpiredCertificate(m *inputIndex) detection {
	found := findTLSFailures(m, "expired", "not valid yet", "not yet valid")
	ends := m.Facts.IgnitionExpires
	if ends.IsZero() || m.hasReached(state.PhaseComplete) || m.Wall.Before(ends) {
		return found
	}
	return detection{
		evidence: append(found.evidence, fmt.Sprintf("the first certificates expired on %s, now it is %s", formatTime(ends), formatTime(m.Wall))),
		cause:    "The first certificates of the control plane expired before the cluster could renew them.",
		fix:      "Run the same command again with --renew-certificates: it recreates the certificates and the machines.",
	}
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// findTLSFailures ignores what is seen only on the bootstrap machine's own address: a proxy may answer in its place, which the
// installation does not depend on.
func findTLSFailures(m *inputIndex, words ...string) detection {
	var evidence []string
	probes := m.Snapshot.Probes
	for _, way := range []struct {
		name  string
		probe state.Probe
	}{{"by name", probes.API}, {"on the bootstrap machine's own address", probes.Direct}} {
		if hasFailed(way.probe) && way.probe.Layer == state.LayerTLS && containsAny(way.probe.Detail, words...) {
			evidence = append(evidence, formatProbe(way.name, way.probe))
		}
	}
	if len(evidence) == 0 && m.APIError != nil && containsAny(m.APIError.Error(), words...) {
		return detection{evidence: []string{m.APIError.Error()}}
	}
	if probes.API.Layer != state.LayerTLS || !hasFailed(probes.API) {
		return detection{}
	}
	return detection{evidence: evidence}
}

// detectForeignAuthority detects machines that were started with another root CA, and servers that present another one.
func detectForeignAuthority(m *inputIndex) detection {
	var strangers []string
	for _, machine := range m.Machines {
		mark := strings.TrimPrefix(m.RootCALabels[machine.Name], state.RootCALabelPrefix)
		if mark != "" && m.Facts.RootCAHash != "" && !strings.HasPrefix(m.Facts.RootCAHash, mark) {
			strangers = append(strangers, machine.Name)
		}
	}
	found := findTLSFailures(m, "unknown authority", "another cluster", "another name")
	if len(strangers) == 0 {
		return found
	}
	return detection{
		evidence: append(found.evidence, "started with the certificates of another generation: "+joinLimited(strangers)),
		subject:  []string{strings.Join(strangers[:min(len(strangers), maxListed)], " ")},
		cause:    "Machines were started with other certificates than the rest of this cluster: they cannot join.",
		fix: "Delete them, then run the same command again: it recreates them.\n" +
			"exo compute instance delete --zone {zone} {subject}",
	}
}
