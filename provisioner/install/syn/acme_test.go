package syn

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// crawling is a cluster with a new application every ten minutes, and its account at acme-dns after most of an hour.
type crawling struct {
	GitOps
	began time.Time
}

func (c crawling) GetSynthesis(context.Context) (state.SynStatus, error) {
	var seen state.SynStatus
	for n := range int(time.Since(c.began) / (10 * time.Minute)) {
		seen.Applications = append(seen.Applications, state.ApplicationStatus{Name: fmt.Sprint("a", n), Sync: "Synced", Health: "Healthy"})
	}
	return seen, nil
}

func (c crawling) GetACMERegistration(context.Context) (state.ACMERegistration, error) {
	if time.Since(c.began) < 50*time.Minute {
		return state.ACMERegistration{}, fault.Newf(fault.Transient, "read", "it does not exist yet")
	}
	return state.ACMERegistration{FullDomain: "x.acme-dns.example.net"}, nil
}

func TestEnsureACME_WaitsWhileAppsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connectedTo(t, &Clients{Cluster: crawling{began: time.Now()}}, Deps{})
		c.synthesis.spec.DNS.ACME = true
		var made []string
		c.synthesis.alias = func(_ context.Context, _ provisioner.Report, name, to string) error {
			made = append(made, name+" "+to)
			return nil
		}
		if err := c.synthesis.ensureACME()(t.Context(), unheard); err != nil || len(made) != 2 {
			t.Errorf("made %q: %v", made, err)
		}
	})
}

// silent is a cluster that never registers an account, in which Argo CD runs or not.
type silent struct {
	GitOps
	seen state.SynStatus
	why  error
}

func (s silent) GetSynthesis(context.Context) (state.SynStatus, error) { return s.seen, nil }
func (s silent) GetACMERegistration(context.Context) (state.ACMERegistration, error) {
	return state.ACMERegistration{}, s.why
}

func TestEnsureACME_TimeoutHint(t *testing.T) {
	missing := state.SynStatus{Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Healthy"}, Root: state.ApplicationStatus{Health: "Missing"}}
	running := state.SynStatus{Applications: []state.ApplicationStatus{{Name: "cert-manager"}}}
	none := fault.Newf(fault.Transient, "read", "it does not exist yet")
	for hint, cluster := range map[string]silent{
		"log of the Deployment steward": {seen: missing, why: none},
		"Job acme-dns-register":         {seen: running, why: none},
		"delete the secret":             {seen: running, why: fault.Newf(fault.Invalid, "read", "it has no account").WithHint("delete the secret")},
	} {
		t.Run(hint, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := connectedTo(t, &Clients{Cluster: cluster}, Deps{}).synthesis.ensureACME()(t.Context(), unheard)
				if !strings.Contains(fault.HintOf(err), hint) {
					t.Errorf("%v\n%s", err, fault.HintOf(err))
				}
			})
		})
	}
}
