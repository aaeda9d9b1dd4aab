package rotation

import (
	"cmp"
	"context"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/openshift/adminaccess"
	"exoshift/provisioner/rotation"
	"exoshift/state"
)

// VerbKubeconfig is the rotation of the administrator's kubeconfig.
const VerbKubeconfig = "rotate kubeconfig"

// secondAccess is for how long the second access may be needed.
const secondAccess = time.Hour

// RotateKubeconfig replaces the administrator's kubeconfig. The folder must be locked, except for a dry run.
func (c Cluster) RotateKubeconfig(ctx context.Context, wanted Request, shown Display) error {
	if err := c.checkAdministrator(); err != nil {
		return err
	}
	journal, closeJournal, err := c.OpenJournal(wanted.DryRun)
	if err != nil {
		return err
	}
	defer closeJournal()
	cluster := c.NewClient()
	defer cluster.Close()
	clients := rotation.KubeconfigClients{
		Cluster: cluster, Clock: c.Net.Clock, Generate: adminaccess.NewAdminKubeconfig, FindAuthority: adminaccess.FindAuthority,
		NewToken: func(ctx context.Context) ([]byte, string, error) {
			access, err := cluster.NewTokenAccess(ctx, adminaccess.RotationAccount, secondAccess)
			return access.Kubeconfig, adminaccess.RotationAccount, err
		},
	}
	var files rotation.Files = c.Folder
	if c.AlterKubeconfig != nil {
		files = c.AlterKubeconfig(&clients, files)
	}
	rotate := rotation.NewKubeconfig(c.Spec, files, clients, journal)
	var found rotation.KubeconfigReview
	err = c.waitReviewed(ctx, func(ctx context.Context, _ provisioner.Report) (rotation.Review, error) {
		var err error
		found, err = rotate.Review(ctx)
		return found.Review, err
	})
	if err != nil {
		return err
	}
	plan := Plan{Verb: VerbKubeconfig, Kubeconfig: &found, Steps: rotate.Plan(), Retry: wanted.Retry}
	if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	return c.execute(ctx, wanted, plan, nil, shown)
}

// checkAdministrator returns an error unless the administrator's kubeconfig can be used.
func (c Cluster) checkAdministrator() error {
	if err := clusterdir.CheckStarted(c.Facts); err != nil {
		return err
	}
	if !c.Facts.Syn.AdminInvalidated.IsZero() {
		return exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, "use the administrator's kubeconfig", "it was invalidated by exoshift emergency-access").
			WithHint("use the emergency access of the cluster"))
	}
	return nil
}

// IssueKubeconfig returns a kubeconfig with a token that ends by itself.
func (c Cluster) IssueKubeconfig(ctx context.Context, validity time.Duration) (access adminaccess.Access, err error) {
	if err := c.checkAdministrator(); err != nil {
		return access, err
	}
	cluster := c.NewClient()
	defer cluster.Close()
	var failure error
	interrupted := c.PollReview(ctx, 0, func(ctx context.Context, _ provisioner.Report) error {
		if access, failure = cluster.NewTokenAccess(ctx, adminaccess.PeopleAccount, validity); fault.Is(failure, fault.Transient) {
			return failure
		}
		return nil
	})
	return access, cmp.Or(interrupted, failure)
}

var _ rotation.Files = state.Folder{}
