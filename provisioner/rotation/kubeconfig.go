package rotation

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// Administrators is the API of a cluster, by the administrator's kubeconfig in the folder.
type Administrators interface {
	nodes.Poller
	// ListAdminAuthorities returns the authorities whose client certificates are accepted, as PEM.
	ListAdminAuthorities(ctx context.Context) ([][]byte, error)
	// EnsureAdminAuthority adds an authority, and RemoveAdminAuthority removes one, unless it is the only one.
	EnsureAdminAuthority(ctx context.Context, authority []byte) (state.Action, error)
	RemoveAdminAuthority(ctx context.Context, authority []byte) (state.Action, error)
	// RestoreAdminAuthority adds an authority by a kubeconfig with a token.
	RestoreAdminAuthority(ctx context.Context, token, authority []byte) (state.Action, error)
	// CheckKubeconfig and CheckToken return nil if the API accepts a kubeconfig, by a new connection, and fault.Denied if it refuses it.
	CheckKubeconfig(ctx context.Context, kubeconfig []byte) error
	CheckToken(ctx context.Context, kubeconfig []byte) error
	// EndTokenAccess deletes the service account of tokens.
	EndTokenAccess(ctx context.Context, account string) (state.Action, error)
}

// Files are those of the cluster's folder.
type Files interface {
	// Read returns fs.ErrNotExist for one that does not exist; Write replaces one at once.
	Read(name string) ([]byte, error)
	Write(name string, content []byte) error
	Remove(name string) error
}

// KubeconfigClients are what a kubeconfig is rotated with.
type KubeconfigClients struct {
	Cluster Administrators
	Clock   provisioner.Clock
	// Generate returns a kubeconfig like the current one, with a certificate of a new authority.
	Generate func(current []byte, now time.Time) ([]byte, error)
	// FindAuthority returns the authority that signed the certificate of a kubeconfig; nil: it is not among those given.
	FindAuthority func(kubeconfig []byte, among [][]byte) ([]byte, error)
	// NewToken returns a kubeconfig with a token of a service account, and the account.
	NewToken func(ctx context.Context) (kubeconfig []byte, account string, err error)
}

// The administrator's kubeconfig in the folder, the one that takes its place, and the one whose place was taken and that is still valid. An
// interrupted rotation goes on by what is there.
const (
	CurrentFile = state.InstallDir + "/auth/kubeconfig"
	nextFile    = state.InstallDir + "/auth/kubeconfig-next"
	oldFile     = state.InstallDir + "/auth/kubeconfig-old"
)

const opKubeconfig = "rotate the kubeconfig"

// Kubeconfig rotates the administrator's kubeconfig of a cluster.
type Kubeconfig struct {
	spec    state.Spec
	files   Files
	clients KubeconfigClients
	journal state.Recorder
}

// NewKubeconfig is for the cluster of these answers.
func NewKubeconfig(spec state.Spec, files Files, clients KubeconfigClients, journal state.Recorder) *Kubeconfig {
	return &Kubeconfig{spec: spec, files: files, clients: clients, journal: journal}
}

// Plan returns the steps, each after the one before it.
func (k *Kubeconfig) Plan() provisioner.Plan {
	plan := provisioner.Plan{
		{ID: "check", Title: "Check whether the kubeconfig can be replaced now", Phase: phaseOperators, Usual: 10 * time.Second, Do: k.check},
		{ID: "create-kubeconfig", Title: "Create a kubeconfig of a new signer, and have the API servers accept that", Phase: phaseOperators, Usual: 5 * time.Second, Do: k.create},
		{ID: "prove-kubeconfig", Title: "Prove that every API server accepts the new kubeconfig", Phase: phaseOperators, Usual: 2 * time.Minute, Do: k.prove},
		{ID: "replace-kubeconfig", Title: "Replace the kubeconfig in the cluster's folder", Phase: phaseOperators, Usual: time.Second, Do: k.replace},
		{ID: "revoke-kubeconfig", Title: "Remove the old signer, until every API server refuses the old kubeconfig", Phase: phaseOperators, Usual: 2 * time.Minute, Do: k.revoke},
	}
	for i := range plan[1:] {
		plan[i+1].Needs = []string{plan[i].ID}
	}
	return plan
}

// KubeconfigReview is what decides whether a kubeconfig can be replaced now.
type KubeconfigReview struct {
	Review
	Begun  bool // an earlier run has begun with it
	Others int  // authorities of other kubeconfigs, which stay
}

// Review reads what is known of the kubeconfig, and the state of the cluster.
func (k *Kubeconfig) Review(ctx context.Context) (found KubeconfigReview, err error) {
	found.Begun = k.has(nextFile) || k.has(oldFile)
	seen, err := k.clients.Cluster.Poll(ctx, netip.Addr{}, nil)
	if err != nil {
		return found, err
	}
	found.Unwell = nodes.ListUnwell(seen, k.spec.Sizing.ControlPlane.Count, 0)
	all, err := k.clients.Cluster.ListAdminAuthorities(ctx)
	if err != nil {
		return found, err
	}
	current, err := k.files.Read(CurrentFile)
	if err != nil {
		return found, err
	}
	authority, err := k.clients.FindAuthority(current, all)
	if err != nil {
		return found, fault.New(fault.Invalid, opKubeconfig, err)
	}
	found.Others = len(all)
	if authority != nil {
		found.Others--
	} else if !found.Begun {
		found.Reasons = append(found.Reasons, "the folder's kubeconfig is not of a signer in the config map openshift-config/admin-kubeconfig-client-ca")
	}
	return found, nil
}

func (k *Kubeconfig) has(name string) bool {
	_, err := k.files.Read(name)
	return err == nil
}

func (k *Kubeconfig) check(ctx context.Context, _ provisioner.Report) error {
	found, err := k.Review(ctx)
	if err != nil {
		return err
	}
	return found.Refusal()
}

// create stores the new kubeconfig before the cluster knows of its authority, so that it can be used whatever happens.
func (k *Kubeconfig) create(ctx context.Context, report provisioner.Report) error {
	if k.has(oldFile) && !k.has(nextFile) {
		return provisioner.Skip("the new kubeconfig has taken its place already")
	}
	next, err := k.files.Read(nextFile)
	if errors.Is(err, fs.ErrNotExist) {
		var current []byte
		if current, err = k.files.Read(CurrentFile); err == nil {
			if next, err = k.clients.Generate(current, time.Now()); err == nil { // certificates live by the wall clock
				err = k.files.Write(nextFile, next)
			}
		}
	}
	if err != nil {
		return err
	}
	authority, err := k.clients.FindAuthority(next, nil)
	if err != nil || authority == nil {
		return fault.New(fault.Invalid, opKubeconfig, errors.Join(errors.New(nextFile+" is damaged"), err)).WithHint("delete that file, and run the same command again")
	}
	return k.change(ctx, report, authority, k.clients.Cluster.EnsureAdminAuthority)
}

// kindAuthority is the kind of the authorities of kubeconfigs, in events and in the journal.
const kindAuthority = "kubeconfig-signer"

func (k *Kubeconfig) change(ctx context.Context, report provisioner.Report, authority []byte, do func(context.Context, []byte) (state.Action, error)) error {
	const name = "admin-kubeconfig-client-ca"
	if err := k.journal.RecordIntent(kindAuthority, name); err != nil {
		return err
	}
	action, err := do(ctx, authority)
	if err != nil {
		return err
	}
	report.EmitObject(kindAuthority, name, "", string(action))
	return k.journal.RecordResult(kindAuthority, name, "", action)
}

func (k *Kubeconfig) prove(ctx context.Context, report provisioner.Report) error {
	next, err := k.files.Read(nextFile)
	if errors.Is(err, fs.ErrNotExist) {
		return provisioner.Skip("the new kubeconfig has taken its place already")
	}
	if err != nil {
		return err
	}
	return k.wait(ctx, report, "the new kubeconfig is not accepted by every API server", func(ctx context.Context) error {
		return k.clients.Cluster.CheckKubeconfig(ctx, next)
	})
}

// API servers reload their authorities, each from its node, and a load balancer is in front of them.
const (
	reloadLimit = 15 * time.Minute
	// answers in a row, each to a new connection, are taken for those of all API servers.
	answersInRow = 6
	// denials in a row of what has to work are no coincidence.
	denialsInRow = 3
)

// wait repeats a check until it succeeds often enough in a row.
func (k *Kubeconfig) wait(ctx context.Context, report provisioner.Report, waiting string, check func(context.Context) error) error {
	row := 0
	var fatal error
	err := provisioner.PollUntil(k.clients.Clock, pollInterval, reloadLimit, func(ctx context.Context, _ provisioner.Report) error {
		err := check(ctx)
		if fault.Is(err, fault.Conflict) {
			fatal = err
			return nil
		}
		if err != nil {
			row = 0
			return fault.Newf(fault.Transient, opKubeconfig, "%s: %v", waiting, err)
		}
		if row++; row < answersInRow {
			return provisioner.Progressing(fault.Newf(fault.Transient, opKubeconfig, "%d of %d answers are as they should be", row, answersInRow))
		}
		return nil
	})(ctx, report)
	if fatal != nil {
		return fatal
	}
	return err
}

// replace keeps the old kubeconfig until it is proven to be refused.
func (k *Kubeconfig) replace(_ context.Context, report provisioner.Report) error {
	next, err := k.files.Read(nextFile)
	if errors.Is(err, fs.ErrNotExist) {
		return provisioner.Skip("the new kubeconfig has taken its place already")
	}
	if err != nil {
		return err
	}
	current, err := k.files.Read(CurrentFile)
	if err != nil {
		return err
	}
	if !slices.Equal(current, next) {
		if err := k.files.Write(oldFile, current); err != nil {
			return err
		}
		if err := k.files.Write(CurrentFile, next); err != nil {
			return err
		}
	}
	report.EmitProgress("the folder has the new kubeconfig")
	return k.files.Remove(nextFile)
}

// revoke proves a second access first, which would restore the old one if the new one did not work without it.
func (k *Kubeconfig) revoke(ctx context.Context, report provisioner.Report) (failure error) {
	old, err := k.files.Read(oldFile)
	if err != nil {
		return err
	}
	current, err := k.files.Read(CurrentFile)
	if err != nil {
		return err
	}
	second, account, err := k.clients.NewToken(ctx)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		_, err := k.clients.Cluster.EndTokenAccess(ctx, account)
		failure = errors.Join(failure, err)
	}()
	if err := k.wait(ctx, report, "the second access is not accepted", func(ctx context.Context) error { return k.clients.Cluster.CheckToken(ctx, second) }); err != nil {
		return err
	}
	all, err := k.clients.Cluster.ListAdminAuthorities(ctx)
	if err != nil {
		return err
	}
	authority, err := k.clients.FindAuthority(old, all)
	if err != nil {
		return err
	}
	if authority != nil {
		if err := k.change(ctx, report, authority, k.clients.Cluster.RemoveAdminAuthority); err != nil {
			return err
		}
	}
	if err := k.waitRefused(ctx, report, old, current); err != nil {
		if authority != nil && ctx.Err() == nil {
			return k.restore(ctx, second, authority, err)
		}
		return err
	}
	report.EmitProgress("every API server refuses the old kubeconfig, and accepts the new one")
	return k.files.Remove(oldFile)
}

// endTimeout limits the deletion of the second access, also after an interruption.
const endTimeout = 30 * time.Second

func (k *Kubeconfig) waitRefused(ctx context.Context, report provisioner.Report, old, current []byte) error {
	denials := 0
	return k.wait(ctx, report, "the old kubeconfig is accepted, or the API does not answer", func(ctx context.Context) error {
		switch err := k.clients.Cluster.CheckKubeconfig(ctx, current); {
		case fault.Is(err, fault.Denied):
			if denials++; denials >= denialsInRow {
				return fault.Newf(fault.Conflict, opKubeconfig, "the API does not accept the new kubeconfig any more")
			}
			return err
		case err != nil:
			return err
		}
		denials = 0
		err := k.clients.Cluster.CheckKubeconfig(ctx, old)
		switch {
		case fault.Is(err, fault.Denied):
			return nil
		case err == nil:
			return errors.New("it is accepted")
		}
		return err
	})
}

func (k *Kubeconfig) restore(ctx context.Context, second, authority []byte, cause error) error {
	if _, err := k.clients.Cluster.RestoreAdminAuthority(ctx, second, authority); err != nil {
		return errors.Join(cause, err)
	}
	return fault.New(fault.KindOf(cause), opKubeconfig, errors.New(cause.Error()+"; the old signer was restored")).
		WithHint("see what the operator reports: oc get clusteroperator kube-apiserver; then run the same command again")
}
