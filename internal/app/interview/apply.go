package interview

import (
	"context"
	"errors"
	"fmt"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// Display shows what follows an interview.
type Display interface {
	run.Display
	// ShowProblems shows why the answers cannot be applied.
	ShowProblems(problems []wizard.Problem)
}

// Apply does not ask for confirmation again.
func (c *Backend) Apply(ctx context.Context, display Display) error {
	spec := c.finalAnswers().Spec
	secrets, faults := local.ResolveSecrets(spec, c.Lookup)
	if faults = append(wizard.Check(spec), faults...); len(faults) > 0 {
		display.ShowProblems(faults)
		return exit.ErrAnswers
	}
	if c.isInPlace() {
		c.release() // the folder is locked again
	}
	if c.rehearsal != nil {
		if err := c.Environment.Close(); err != nil {
			return err
		}
		return c.runRehearsal(ctx, display, spec, secrets)
	}
	return c.install(ctx, display, spec, secrets)
}

// Cluster is the ID of the cluster that Apply installs; "" if it rehearses.
func (c *Backend) Cluster() string {
	if c.rehearsal != nil {
		return ""
	}
	return c.finalAnswers().Spec.Cluster.ID
}

// HashPlan returns the hash of the plan that Apply carries out.
func (c *Backend) HashPlan(ctx context.Context) (string, error) {
	spec, r := c.finalAnswers().Spec, c.request
	secrets, _ := local.ResolveSecrets(spec, c.Lookup) // Apply shows what is wrong with them
	dir := r.Dir
	if r.Private != nil {
		dir = r.Private.Path()
	}
	return run.HashPlan(ctx, r.Host, dir, r.RunOptions(), spec, secrets, "")
}

// UseFolder makes Apply install in the folder that a request names, in shared state in the private copy.
func (c *Backend) UseFolder(r request.Request) {
	c.request.State, c.request.ID, c.request.Private = r.State, r.ID, r.Private
	if r.Private == nil {
		c.request.Dir = r.Dir
	}
}

func (c *Backend) install(ctx context.Context, display run.Display, spec state.Spec, secrets wizard.Secrets) error {
	folder, err := c.request.CreateFolder(spec)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := changes.Check(folder, spec, display.ShowAnswers); err != nil {
		return err
	}
	r := c.request
	r.Answers, r.Set, r.Dir = "", nil, folder.Path() // from now on the folder's answers apply
	s, err := r.OpenRun(ctx, spec, secrets, folder)
	if err != nil {
		return err
	}
	key := s.Net.ReleaseKey
	if s.Net, err = c.Environment.OpenNetwork(ctx, spec.Exoscale.Zone); err != nil {
		return err
	}
	if key != nil {
		s.Net.ReleaseKey = key
	}
	if s.Access, err = c.Environment.OpenAccess(ctx, spec.Exoscale.Zone); err != nil {
		return err
	}
	s.Access.SetInteractive(true)
	touched, err := folder.HasChanges()
	if err != nil {
		return err
	}
	if touched { // the folder's answers stay until the preflight has accepted the draft, whose files are used until then
		s.Accept = func(accepted run.Run) error { return c.MoveToFolder(&accepted) }
		return errors.Join(s.Install(ctx, display), c.discard(folder))
	}
	if err := s.ClaimFolder(); err != nil {
		return err
	}
	if err := c.MoveToFolder(&s); err != nil {
		return err
	}
	if err := c.discard(folder); err != nil {
		return err
	}
	return s.Install(ctx, display)
}

// MoveToFolder copies the draft's files to the cluster's folder. The draft stays complete.
func (c *Backend) MoveToFolder(s *run.Run) error {
	moved, err := c.Draft.CopySecrets(s.Folder, listPrivateFiles(s.Spec))
	if err != nil {
		return err
	}
	s.Spec = relocateFiles(s.Spec, moved)
	s.Original = answersfile.Export(s.Spec, c.finalAnswers().Origins)
	if err := s.KeepAnswers(); err != nil {
		return err
	}
	c.begun = true
	return c.exported.rewrite(answersfile.Export(s.Spec, c.finalAnswers().Origins)) // its secrets were moved
}

// discard removes a draft that was copied to a folder, and keeps any other.
func (c *Backend) discard(folder state.Folder) error {
	if !c.begun {
		return nil
	}
	c.release()
	return c.Draft.Discard(folder)
}

// listPrivateFiles returns the files that a Spec refers to and a draft may contain.
func listPrivateFiles(spec state.Spec) []string {
	return []string{spec.Exoscale.APIKey.File, spec.Exoscale.APISecret.File, spec.OpenShift.PullSecret.File, spec.Syn.GitToken.File, spec.OpenShift.TrustBundle}
}

func relocateFiles(spec state.Spec, moved map[string]string) state.Spec {
	for _, ref := range []*state.SecretRef{&spec.Exoscale.APIKey, &spec.Exoscale.APISecret, &spec.OpenShift.PullSecret, &spec.Syn.GitToken} {
		if to, ok := moved[ref.File]; ok {
			ref.File = to
		}
	}
	if to, ok := moved[spec.OpenShift.TrustBundle]; ok {
		spec.OpenShift.TrustBundle = to
	}
	return spec
}

func (c *Backend) runRehearsal(ctx context.Context, display run.Display, spec state.Spec, secrets wizard.Secrets) (err error) {
	c.begun = true
	defer func() { c.cleanUp(err) }()
	folder, err := clusterdir.Create(c.rehearsal.Dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	played := *c.rehearsal
	played.Answers, played.Set, played.Agreed = "", nil, answersfile.Export(spec, c.finalAnswers().Origins)
	played.Accept = func(s run.Run) error {
		if err := s.KeepAnswers(); err != nil {
			return err
		}
		return c.Draft.Discard(folder)
	}
	return played.RunOnZone(ctx, display, spec, secrets, folder)
}

// FormatResume returns the command that goes on with the draft.
func (c *Backend) FormatResume() string {
	words := []string{"exoshift", "install"}
	if r := c.rehearsal; r != nil {
		words = []string{"exoshift", "rehearse", "--interactive", "--speed", fmt.Sprint(r.Speed), "--scenario", r.Scenario}
	}
	if c.request.Dir != "" {
		words = append(words, "--dir", c.request.Dir)
	}
	if c.request.State != nil && c.rehearsal == nil {
		words = append(words, "--state", c.request.State.Text)
	}
	if c.request.Accessible {
		words = append(words, "--accessible")
	}
	return shellescape.QuoteCommand(words)
}
