package destroy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/state"
)

// registry is a fake of Lieutenant and Vault: a registration, and its secrets.
type registry struct {
	registered bool
	secrets    map[string]bool // by path; false: deleted, and can be restored
	done       []string
	refuse     string // the call that is refused, as in done; "": none
	policy     string // of Lieutenant's operator: "" archives secrets, "Delete" deletes them for good
	kept       Passwords
}

func (r *registry) Load() (Passwords, error) { return r.kept, nil }

func (r *registry) Save(passwords Passwords) error {
	r.kept = passwords
	return nil
}

func (r *registry) GetCluster(_ context.Context, id string) (state.SynCluster, error) {
	if !r.registered {
		return state.SynCluster{}, fault.Newf(fault.NotFound, "find the cluster", "there is none")
	}
	return state.SynCluster{ID: id}, nil
}

func (r *registry) GetSecret(_ context.Context, path string) (map[string]string, error) {
	if !r.secrets[path] {
		return nil, fault.Newf(fault.NotFound, "read the secret", "there is none")
	}
	return map[string]string{"password": "of " + path}, nil
}

func (r *registry) SetSecret(_ context.Context, path string, values map[string]string) (state.Action, error) {
	if values["password"] != "of "+path {
		return "", errors.New("not what it was")
	}
	if err := r.may("write " + path); err != nil {
		return "", err
	}
	r.secrets[path] = true
	return state.Created, nil
}

func (r *registry) SignIn(context.Context, func(context.Context, string) error) error {
	if r.refuse == "sign in" {
		return errors.New("nobody is there")
	}
	return nil
}

func (r *registry) may(what string) error {
	if what == r.refuse {
		return errors.New("no right to " + what)
	}
	r.done = append(r.done, what)
	return nil
}

// DeleteCluster deletes all secrets, as Lieutenant's operator does.
func (r *registry) DeleteCluster(_ context.Context, id string) (state.Action, error) {
	if !r.registered {
		return state.Found, nil
	}
	if err := r.may("unregister " + id); err != nil {
		return "", err
	}
	r.registered = false
	for path := range r.secrets {
		if r.secrets[path] = false; r.policy == "Delete" {
			delete(r.secrets, path)
		}
	}
	return state.Deleted, nil
}

func (r *registry) Delete(_ context.Context, path string) (state.Action, error) {
	if !r.secrets[path] {
		return state.Found, nil
	}
	if err := r.may("delete " + path); err != nil {
		return "", err
	}
	r.secrets[path] = false
	return state.Deleted, nil
}

func (r *registry) Restore(_ context.Context, path string) (state.Action, error) {
	switch there, known := r.secrets[path]; {
	case !known:
		return "", fault.Newf(fault.NotFound, "restore the secret", "Vault knows nothing of it")
	case there:
		return state.Found, nil
	}
	if err := r.may("restore " + path); err != nil {
		return "", err
	}
	r.secrets[path] = true
	return state.Updated, nil
}

// enrolled is a cluster of Project Syn with these secrets, and machines.
func enrolled(paths ...string) (*zone, *registry, Clients) {
	z, r := &zone{objects: cluster()}, &registry{registered: true, secrets: map[string]bool{}}
	world := z.world()
	world.Syn = &Syn{Lieutenant: r, Vault: r, Passwords: r, Tenant: "t-demo"}
	for _, path := range paths {
		r.secrets[path] = true
		world.Syn.Secrets = append(world.Syn.Secrets, state.VaultSecret{Path: path})
	}
	return z, r, world
}

// A refused call leaves the later ones out, and the next teardown continues from there.
func TestDestroy_ResumesAfterSynRefusal(t *testing.T) {
	const ccm, csi, backup = "t-demo/c-demo-1/exoscale/ccm", "t-demo/c-demo-1/exoscale/csi", "t-demo/c-demo-1/cluster-backup"
	all := []string{"delete " + ccm, "delete " + csi, "unregister c-demo-1", "restore " + backup}
	for _, refused := range append(slices.Clone(all), "sign in", "") {
		synctest.Test(t, func(t *testing.T) {
			z, r, world := enrolled(csi, ccm, backup, "__shared__/__shared__/opsgenie")
			r.refuse = refused
			last, err := torn(t, world, options())
			if (err == nil) != (refused == "") || len(last.Objects) != 0 || len(z.kind(state.KindInstance)) != 0 {
				t.Errorf("refused to %s: %v, left %v", refused, err, last.Objects)
			}
			if at := slices.Index(append(slices.Clone(all), ""), refused); !slices.Equal(r.done, all[:max(at, 0)]) {
				t.Errorf("refused to %s: done are %v", refused, r.done)
			}
			r.refuse = ""
			if _, err := torn(t, world, options()); err != nil {
				t.Errorf("refused to %s, again: %v", refused, err)
			}
			if diff := cmp.Diff(all, r.done); diff != "" || !r.secrets[backup] || r.secrets[ccm] || r.registered {
				t.Errorf("refused to %s: %+v\n%s", refused, r, diff)
			}
		})
	}
}

func TestDestroy_RestoresDeletedPasswords(t *testing.T) {
	const backup, absent = "t-demo/c-demo-1/cluster-backup", "t-demo/c-demo-1/global-backup"
	for _, refused := range []string{"", "write " + backup} {
		synctest.Test(t, func(t *testing.T) {
			_, r, world := enrolled(backup)
			world.Syn.Secrets = append(world.Syn.Secrets, state.VaultSecret{Path: absent})
			r.policy, r.refuse = "Delete", refused
			if _, err := torn(t, world, options()); (err == nil) != (refused == "") || r.secrets[backup] != (refused == "") {
				t.Fatalf("refused to %q: %v, %v", refused, err, r.secrets)
			}
			if r.refuse = ""; refused != "" { // the copy outlives the run
				if _, err := torn(t, world, options()); err != nil || !r.secrets[backup] {
					t.Errorf("again: %v, %v", err, r.secrets)
				}
			}
			if r.kept != nil {
				t.Errorf("copies stay: %v", r.kept)
			}
		})
	}
}

func TestDestroy_FailsOnMissingPassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const backup = "t-demo/c-demo-1/cluster-backup"
		_, r, world := enrolled(backup)
		r.registered = false
		delete(r.secrets, backup)
		if _, err := torn(t, world, options()); !strings.Contains(fault.HintOf(err), "without it, the backups cannot be read.") {
			t.Errorf("%v %s", err, fault.HintOf(err))
		}
		o := options()
		o.DeleteBackups = true
		if _, err := torn(t, world, o); err != nil {
			t.Error(err)
		}
	})
}

func TestDestroy_DeletesPasswordsWithBackups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const backup = "t-demo/c-demo-1/cluster-backup"
		_, r, world := enrolled(backup)
		o := options()
		o.DeleteBackups = true
		if _, err := torn(t, world, o); err != nil || r.secrets[backup] || r.registered {
			t.Errorf("%v, %+v", err, r)
		}
	})
}
