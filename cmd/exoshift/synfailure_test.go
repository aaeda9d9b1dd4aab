package main

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// mishap is a failure of Project Syn, and its fix.
type mishap struct {
	text, hint, field string
	mend              func(t *testing.T, s *run.Run, zone *simcloud.Zone) // nil: no fix
}

// Each failure of Project Syn is reported with its cause and its fix; after that the same command succeeds.
func TestSyn_FailuresAndRecovery(t *testing.T) {
	long(t)
	for scenario, m := range map[string]mishap{
		"token-expired":        {text: "has expired", hint: "reset the bootstrap token of c-demo-1", mend: resetToken},
		"token-used":           {text: "used by someone else", hint: "reset the bootstrap token of c-demo-1", mend: resetToken},
		"fact-missing":         {text: "service_level", field: "syn.facts", mend: setFact},
		"compile-failure":      {text: "RUNTIME ERROR", hint: ""},
		"vault-secret-missing": {text: "t-quiet-harbour-4711/c-demo-1/oidc-client/clientSecret", hint: "write them to Vault", mend: makeSecret},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			virtuallyIn(t, circumstances{scenario: scenario, spec: connectedSpec}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				_, err := finish(t, s)
				m.check(t, err)
				if m.mend == nil {
					return
				}
				m.mend(t, &s, zone)
				installed(t, s)
				if noted := facts(t, s).Syn; noted.Synthesized.IsZero() {
					t.Errorf("the facts: %+v", noted)
				}
			})
		})
	}
}

func (m mishap) check(t *testing.T, err error) {
	t.Helper()
	if exit.Code(err) != exit.Syn || !strings.Contains(err.Error(), m.text) || !strings.Contains(fault.HintOf(err), m.hint) || fault.FieldOf(err) != m.field {
		t.Errorf("exit code %d: %v\nhint %q, field %q", exit.Code(err), err, fault.HintOf(err), fault.FieldOf(err))
	}
}

func resetToken(t *testing.T, _ *run.Run, zone *simcloud.Zone) {
	t.Helper()
	if err := zone.ResetToken("c-demo-1"); err != nil {
		t.Fatal(err)
	}
}

func setFact(_ *testing.T, s *run.Run, _ *simcloud.Zone) {
	s.Spec.Syn.Facts = map[string]string{"maintenance_window": "tuesday-1000", "service_level": "guaranteed-availability"}
}

func makeSecret(t *testing.T, _ *run.Run, zone *simcloud.Zone) {
	t.Helper()
	vault, err := zone.OpenVault()
	if err == nil {
		err = vault.Put("t-quiet-harbour-4711/c-demo-1/oidc-client", map[string]string{"clientSecret": "s"})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSyn_WaitsForSlowArgoCD(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{scenario: "slow-argo", spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		noted := facts(t, s).Syn
		if took := noted.Synthesized.Sub(noted.Applied); took < 15*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// A refused installation must not leave anything in Lieutenant, Vault or the tenant's repository.
func TestSyn_RefusesForeignCluster(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec        func(*state.Spec)
		text, field string
	}{
		"of another tenant":  {func(s *state.Spec) { s.Cluster.ID = "c-old-mill-1234" }, "belongs to the tenant t-other-hill-0815", "syn.tenant"},
		"an unknown tenant":  {func(s *state.Spec) { s.Syn.Tenant = "t-nobody-1" }, "t-nobody-1", "syn.tenant"},
		"of another address": {func(s *state.Spec) { s.Syn.LieutenantURL = "https://api-int.syn.vshn.net" }, "api-int.syn.vshn.net", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtuallyIn(t, circumstances{spec: func(s *state.Spec) { connectedSpec(s); c.spec(s) }}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				before := zone.Mutations()
				_, err := finish(t, s)
				if code := exit.Code(err); code != exit.Checks && code != exit.Answers && code != exit.Denied || !strings.Contains(err.Error(), c.text) || fault.FieldOf(err) != c.field {
					t.Errorf("exit code %d: %v\nhint %q, field %q", code, err, fault.HintOf(err), fault.FieldOf(err))
				}
				if made := zone.Mutations() - before; made != 0 {
					t.Errorf("%d objects were made", made)
				}
			})
		})
	}
}

// Foreign changes of the cluster's configuration are neither overwritten nor interpreted.
func TestSyn_RefusesForeignConfiguration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ written, text, hint string }{
		"of another installation": {"# Ours\nparameters:\n  openshift:\n    infraID: c-demo-1-other # of last year\n",
			`line 4: parameters.openshift.infraID is "c-demo-1-other", set by someone else`, "c-demo-1 was installed from another folder"},
		"of another domain": {"parameters: {openshift: {baseDomain: c-demo-1.example.org}}\n",
			`parameters.openshift.baseDomain is "c-demo-1.example.org", set by someone else`, "which is right;"},
		"that shares its values": {"parameters:\n  openshift: &all {a: 1}\n  other: *all\n", "line 2 is &all, which others may use", "manually"},
		"that is not YAML":       {"parameters: [\n", "c-demo-1.yml", "correct that file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				configure(t, zone, c.written)
				before := zone.Mutations()
				_, err := finish(t, s)
				if code := exit.Code(err); code != exit.Checks && code != exit.Answers || !strings.Contains(err.Error(), c.text) || !strings.Contains(fault.HintOf(err), c.hint) {
					t.Errorf("exit code %d: %v\nhint %q", code, err, fault.HintOf(err))
				}
				if made := zone.Mutations() - before; made != 0 || configurationOf(t, zone) != c.written {
					t.Errorf("%d objects were made; the configuration is\n%s", made, configurationOf(t, zone))
				}
			})
		})
	}
}

// The configuration is edited while the installation runs: those edits are kept beside ours.
func TestSyn_KeepsConcurrentChanges(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		configure(t, zone, "# Ours, since spring\nclasses:\n- t-quiet-harbour-4711.common # all\nparameters: {note: &n kept, again: *n}\n")
		interruptedAt(t, s, func(e provisioner.Event) bool {
			if e.Step == "identity" && e.State == provisioner.Started {
				configure(t, zone, configurationOf(t, zone)+"# A colleague was here\n")
			}
			return e.Step == "identity" && e.State == provisioner.Done
		})
		written := configurationOf(t, zone)
		for _, kept := range []string{"# Ours, since spring", "t-quiet-harbour-4711.common # all", "note: &n kept, again: *n", "# A colleague was here", facts(t, s).InfraID} {
			if !strings.Contains(written, kept) {
				t.Errorf("%q is gone:\n%s", kept, written)
			}
		}
	})
}

// configure commits a foreign change of the cluster's configuration.
func configure(t *testing.T, zone *simcloud.Zone, content string) {
	t.Helper()
	host, err := zone.OpenGit()
	if err == nil {
		_, err = host.Commit(harbourRepository, "Edit by hand", map[string][]byte{"c-demo-1.yml": []byte(content)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSyn_RefusesForeignToken(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		const foreign = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIn0.c2ln"
		s.Access.APIToken = foreign
		before := zone.Mutations()
		out, err := finish(t, s)
		if exit.Code(err) == 0 || !strings.Contains(err.Error(), "api.syn.vshn.net") || !strings.Contains(err.Error()+fault.HintOf(err), "token") {
			t.Errorf("exit code %d: %v\nhint %q", exit.Code(err), err, fault.HintOf(err))
		}
		if strings.Contains(out+err.Error(), foreign) || zone.Mutations() != before {
			t.Error("the token was told, or something was made")
		}
	})
}
