package syn

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	yamledit "exoshift/provisioner/syn/catalog/edit"
	"exoshift/state"
)

// lostCluster is Project Syn as it is after an installation of c-1 whose folder kept only what was generated.
type lostCluster struct {
	Vault
	Git
	GitOps

	cluster       state.SynCluster
	private       string // SSH key in Vault
	configuration string
	seen          state.SynStatus
	unseen        error
	signedOut     bool
	maintenance   string
	fetched       int
}

// lostLieutenant is its Lieutenant.
type lostLieutenant struct {
	Lieutenant
	*lostCluster
}

func (l *lostCluster) SignIn(context.Context, Show) error {
	if l.signedOut {
		return fault.Newf(fault.Waiting, "sign in", "nobody is there").WithHint("set COMMODORE_API_TOKEN")
	}
	return nil
}

func (l lostLieutenant) SignIn(ctx context.Context, show Show) error {
	return l.lostCluster.SignIn(ctx, show)
}

func (l lostLieutenant) GetCluster(context.Context, string) (state.SynCluster, error) {
	if l.cluster.ID == "" {
		return state.SynCluster{}, fault.Newf(fault.NotFound, "find", "there is none")
	}
	return l.cluster, nil
}

func (l lostLieutenant) GetTenant(context.Context, string) (state.SynTenant, error) {
	return state.SynTenant{ID: "t-1"}, nil
}

func (l *lostCluster) GetSecret(context.Context, string) (map[string]string, error) {
	return map[string]string{sshPrivate: l.private}, nil
}

func (l *lostCluster) Compare(_ context.Context, _ state.GitRepo, file string, edits []state.YAMLEdit) (state.Difference, error) {
	edits = slices.DeleteFunc(slices.Clone(edits), func(e state.YAMLEdit) bool { return e.Files != nil })
	after, err := yamledit.Apply(file, []byte(l.configuration), edits)
	if err != nil || string(after) == l.configuration {
		return state.Difference{}, err
	}
	return state.Difference{Unified: string(after)}, nil
}

func (l *lostCluster) Fetch(context.Context, state.GitRepo, string) (string, error) {
	l.fetched++
	return "0123456789abcdef", nil
}

func (l *lostCluster) GetSynthesis(context.Context) (state.SynStatus, error) { return l.seen, l.unseen }

func (l *lostCluster) GetMaintenance(context.Context) (state.Maintenance, error) {
	return state.Maintenance{State: l.maintenance}, nil
}

func (l *lostCluster) GetACMERegistration(context.Context) (state.ACMERegistration, error) {
	return state.ACMERegistration{FullDomain: "account.acme.example.net"}, l.unseen
}

// newLostCluster returns a cluster that was handed over, and the connection of its folder.
func newLostCluster(t *testing.T) (*lostCluster, *Connection) {
	t.Helper()
	private, err := newSSHKey("c-1", false)
	if err != nil {
		t.Fatal(err)
	}
	public, err := toPublicKey(private)
	if err != nil {
		t.Fatal(err)
	}
	well := state.ApplicationStatus{Name: "one", Health: "Healthy", Sync: "Synced"}
	l := &lostCluster{
		private: private, seen: state.SynStatus{Steward: well, Argo: well, Root: well, Applications: []state.ApplicationStatus{well}},
		cluster: state.SynCluster{
			ID: "c-1", Tenant: "t-1", Facts: map[string]string{windowFact: "tuesday-1000"},
			Catalog: state.GitRepo{URL: "ssh://git@git.example.net/c-1.git", DeployKey: "ssh-rsa AAAA"},
		},
	}
	c := connectedTo(t, &Clients{Lieutenant: lostLieutenant{lostCluster: l}, Vault: l, Git: l, Cluster: l}, Deps{})
	err = c.Facts.Update(func(facts *state.Facts) {
		facts.InfraID, facts.Template = "c-1-abcde", "rhcos-9.6"
		facts.Syn.ClusterUUID, facts.Syn.IgnitionCA, facts.Syn.SSHPublicKey = "our-uuid", "PEM", public
	})
	if err != nil {
		t.Fatal(err)
	}
	written, err := yamledit.Apply("c-1.yml", nil, slices.DeleteFunc(c.Catalog.buildEdits(), func(e state.YAMLEdit) bool { return e.Files != nil }))
	if err != nil {
		t.Fatal(err)
	}
	l.configuration = string(written)
	return l, c
}

func forget(t *testing.T, c *Connection) {
	t.Helper()
	err := c.Facts.UpdateSyn(func(facts *state.SynFacts) {
		*facts = state.SynFacts{ClusterUUID: facts.ClusterUUID, IgnitionCA: facts.IgnitionCA}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecover_EverythingThatWasHandedOver(t *testing.T) {
	t.Parallel()
	l, c := newLostCluster(t)
	public := c.Facts.Get().Syn.SSHPublicKey
	forget(t, c)
	c.Spec.DNS.ACME = true
	unproven, err := c.Recover(t.Context(), unheard)
	if err != nil || len(unproven) > 0 {
		t.Fatalf("%v: %v", unproven, err)
	}
	facts := c.Facts.Get().Syn
	for name, at := range map[string]time.Time{
		"applied": facts.Applied, "manifest used": facts.ManifestUsed, "synthesized": facts.Synthesized, "maintained": facts.Maintained, "on call": facts.OnCall,
	} {
		if at.IsZero() {
			t.Errorf("%s is not known", name)
		}
	}
	if facts.SSHPublicKey != public || facts.Tenant != "t-1" || facts.Lieutenant == "" || facts.Catalog != l.cluster.Catalog.URL || facts.Commit == "" || facts.ACME == "" ||
		!slices.Equal(facts.Written, []string{"c-1-abcde", "our-uuid", "PEM"}) {
		t.Errorf("%+v", facts)
	}
	if err := c.registration.checkToken(unheard, l.cluster, true); err != nil {
		t.Errorf("a run: %v", err)
	}
	if difference, err := c.Catalog.computeDifference(t.Context()); err != nil || difference.Unified != "" {
		t.Errorf("a run would change the configuration: %+v, %v", difference, err)
	}
}

func TestRecover_KeepsUnproven(t *testing.T) {
	t.Parallel()
	away := fault.Newf(fault.Transient, "look", "the API does not answer")
	for name, test := range map[string]struct {
		damage  func(*lostCluster)
		told    string // of what is not proven; "": nothing
		applied bool
		check   func(state.SynFacts) bool
	}{
		"a key in the configuration that is not Vault's": {
			func(l *lostCluster) {
				if other, err := newSSHKey("other", false); err == nil {
					l.private = other
				}
			},
			"ssh_key", true, func(f state.SynFacts) bool { return f.SSHPublicKey == "" && !f.OnCall.IsZero() },
		},
		"a secret that is no key": {
			func(l *lostCluster) { l.private = "bm9uZQ==" }, "exoscale/ssh/private_key is not a base64-encoded", true,
			func(f state.SynFacts) bool { return f.SSHPublicKey == "" },
		},
		"another base domain": {
			func(l *lostCluster) {
				l.configuration = strings.ReplaceAll(l.configuration, "example.net", "example.org")
			}, "baseDomain", true,
			func(f state.SynFacts) bool { return f.SSHPublicKey != "" },
		},
		"another cluster's identity, and no Steward here": {
			func(l *lostCluster) {
				l.configuration, l.seen = strings.ReplaceAll(l.configuration, "our-uuid", "their-uuid"), state.SynStatus{Steward: state.ApplicationStatus{Health: "Missing"}}
			},
			"nothing proves", false, func(f state.SynFacts) bool { return f.Tenant == "" && f.ManifestUsed.IsZero() },
		},
		"a cluster that does not answer": {
			func(l *lostCluster) { l.unseen, l.seen = away, state.SynStatus{} }, "", true, func(f state.SynFacts) bool { return f.Synthesized.IsZero() },
		},
		"a kubeconfig that is refused": {
			func(l *lostCluster) {
				l.unseen, l.seen = fault.Newf(fault.Denied, "look", "Unauthorized"), state.SynStatus{}
			}, "kubeconfig was invalidated", true,
			func(f state.SynFacts) bool { return f.AdminInvalidated.IsZero() && f.Tenant == "t-1" },
		},
		"alerts that reach nobody yet": {
			func(l *lostCluster) { l.configuration += "classes:\n  - " + noOpsgenie + "\n" }, "whether the first maintenance has run", true,
			func(f state.SynFacts) bool { return f.OnCall.IsZero() && f.Maintained.IsZero() },
		},
		"a maintenance that is not over": {
			func(l *lostCluster) {
				l.configuration += "classes:\n  - " + noOpsgenie + "\n"
				l.maintenance = "Succeeded"
			},
			"", true, func(f state.SynFacts) bool { return f.Maintained.IsZero() }, // a run takes its UpgradeConfig back
		},
		"another tenant": {
			func(l *lostCluster) { l.cluster.Tenant = "t-2" }, "belongs to the tenant t-2", false, func(f state.SynFacts) bool { return f.Tenant == "" && f.Written == nil },
		},
		"a registration that nobody has used": {
			func(l *lostCluster) {
				l.cluster.Catalog.DeployKey, l.configuration = "", ""
				l.seen.Steward.Health = "Missing"
			},
			"nothing proves that this installation registered it", false, func(f state.SynFacts) bool { return f.Tenant == "" },
		},
		"no registration": {
			func(l *lostCluster) { l.cluster = state.SynCluster{} }, "", false, func(f state.SynFacts) bool { return f.Tenant == "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, c := newLostCluster(t)
			forget(t, c)
			test.damage(l)
			unproven, err := c.Recover(t.Context(), unheard)
			if err != nil {
				t.Fatal(err)
			}
			facts := c.Facts.Get().Syn
			if facts.Applied.IsZero() == test.applied || !test.check(facts) {
				t.Errorf("%+v", facts)
			}
			var text string
			for _, u := range unproven {
				if text += u.Text + "\n"; u.Next == "" {
					t.Errorf("nobody learns what to do: %s", u.Text)
				}
			}
			if (text == "") != (test.told == "") || !strings.Contains(text, test.told) || strings.Contains(text, l.private) {
				t.Errorf("%q is not in %q", test.told, text)
			}
		})
	}
}

// Half of the facts would have the next run refused: nothing may be written of them.
func TestRecover_FailsWhileUnknown(t *testing.T) {
	t.Parallel()
	l, c := newLostCluster(t)
	known := c.Facts.Get().Syn
	forget(t, c)
	l.signedOut = true
	if _, err := c.Recover(t.Context(), unheard); !fault.Is(err, fault.Waiting) || fault.HintOf(err) == "" {
		t.Errorf("nobody is signed in: %v", err)
	}
	l.signedOut, l.unseen = false, fault.Newf(fault.Transient, "look", "the API does not answer")
	l.configuration = strings.ReplaceAll(l.configuration, "our-uuid", "TO_BE_DEFINED")
	if _, err := c.Recover(t.Context(), unheard); !fault.Is(err, fault.Transient) || !strings.Contains(fault.HintOf(err), "run again") {
		t.Errorf("a Steward has reported, and nobody knows whose: %v", err)
	}

	l.signedOut = true
	known.Applied, known.Written = time.Now(), []string{"our-uuid"}
	if err := c.Facts.UpdateSyn(func(facts *state.SynFacts) { *facts = known }); err != nil {
		t.Fatal(err)
	}
	if unproven, err := c.Recover(t.Context(), unheard); err != nil || len(unproven) > 0 || !c.APIKeys.IsSignedOut() {
		t.Errorf("facts that have all of it: %v, %v", unproven, err)
	}
}
