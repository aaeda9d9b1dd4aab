package interview

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/fileread"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

func (c *Backend) buildReview(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Review, error) {
	path, err := c.resolveFolder(spec)
	if err != nil {
		return wizard.Review{}, err
	}
	folder, err := state.OpenReadOnly(path)
	if err != nil {
		return wizard.Review{}, err
	}
	s, err := c.newPreview().newRun(ctx, spec, secrets, folder)
	if err != nil {
		return wizard.Review{}, err
	}
	preview, err := s.Preview(ctx)
	if err != nil {
		return wizard.Review{}, err
	}
	review := wizard.Review{
		Changes: toPlanned(preview), Quotas: toQuotaNeeds(preview.Quotas), Estimate: c.estimateCost(spec),
		Minutes: EstimateMinutes(install.Steps(spec)), Actions: slices.Concat(ListZoneNeeds(preview), ListManualActions(spec)), Difference: preview.Difference.Unified,
	}
	answers := c.finalAnswers().Copy()
	answers.Spec = spec
	review.Export, err = c.export(answers)
	return review, err
}

func toPlanned(preview install.Preview) []wizard.PlannedChange {
	planned := make([]wizard.PlannedChange, len(preview.Changes))
	for n, change := range preview.Changes {
		planned[n] = wizard.PlannedChange{Action: formatPlannedAction(change.Action), Kind: change.Kind, Name: change.Name, Detail: change.Details}
	}
	return planned
}

func formatPlannedAction(action state.Action) string {
	if word := changes.FormatAction(action); word != "none" {
		return word
	}
	return "found"
}

func toQuotaNeeds(checks []preflight.QuotaCheck) []wizard.QuotaCheck {
	needs := make([]wizard.QuotaCheck, len(checks))
	for n, check := range checks {
		needs[n] = wizard.QuotaCheck{
			Quota: wizard.Quota{Resource: check.Resource, Used: check.Used, Limit: check.Limit},
			Need:  check.Need, After: check.After, Sufficient: check.Sufficient,
		}
	}
	return needs
}

func (c *Backend) export(answers *wizard.Answers) (path string, err error) {
	beside, err := c.resolveFolder(answers.Spec)
	if c.isTemporary() { // the file outlives the rehearsal's folder
		beside, err = clusterdir.DefaultPath(cmp.Or(answers.Spec.Cluster.ID, "cluster"))
	}
	if err != nil {
		return "", err
	}
	if err := answersfile.CheckNoSecrets(answers.Spec); err != nil {
		return "", fmt.Errorf("write the answers file: %w", err)
	}
	return c.exported.export(beside, answersfile.Export(answers.Spec, answers.Origins))
}

// ExportForReal writes the answers of a rehearsal into a file for a real cluster, without the rehearsal's own keys and references to
// secrets; "" if this was no rehearsal.
func (c *Backend) ExportForReal() (path string, err error) {
	if c.rehearsal == nil {
		return "", nil
	}
	answers := c.finalAnswers().Copy()
	for _, key := range append(listSecretKeys(), pullSecretKey, sshKeyKey) {
		if key != sshKeyKey || answers.Origin(key) == RehearsalOrigin {
			err = errors.Join(err, answers.Clear(key))
		}
	}
	beside, pathErr := clusterdir.DefaultPath(cmp.Or(answers.Spec.Cluster.ID, "cluster"))
	if err = errors.Join(err, pathErr, answersfile.CheckNoSecrets(answers.Spec)); err != nil {
		return "", err
	}
	return c.exported.export(beside, answersfile.Export(answers.Spec, answers.Origins))
}

// EstimateMinutes returns the usual duration of a plan, in multiples of five minutes: at most its critical path. Steps rarely
// all take their maximum; the fastest runs need three fifths of it.
func EstimateMinutes(plan provisioner.Plan) [2]int {
	ends := map[string]time.Duration{}
	var longest time.Duration
	for _, step := range plan {
		var begin time.Duration
		for _, need := range step.Needs {
			begin = max(begin, ends[need])
		}
		ends[step.ID] = begin + step.Usual
		longest = max(longest, ends[step.ID])
	}
	const full = 5 * time.Minute
	least, most := (longest * 3 / 5).Truncate(full), (longest + full - 1).Truncate(full)
	return [2]int{int(least.Minutes()), int(most.Minutes())}
}

// ListZoneNeeds returns what has to be bought, and what somebody has to know to be lacking.
func ListZoneNeeds(preview install.Preview) []string {
	needs := slices.Clone(preview.Lacking)
	for _, change := range preview.ListPending() {
		if change.Kind == state.KindZone && change.Action == state.Created {
			needs = append(needs, fmt.Sprintf("The DNS zone %s needs a DNS plan with a free zone. Subscribe to one in the Exoscale portal under DNS, "+
				"unless the organization has one. The zone is created first.", change.Name))
		}
	}
	return needs
}

// ListManualActions returns what people have to do during an installation, as sentences.
func ListManualActions(spec state.Spec) []string {
	all := []string{fmt.Sprintf("Once the DNS zone %s exists, an administrator of its parent zone has to add the NS records that are shown. "+
		"The installation waits for that and then continues.", spec.Domain())}
	if !strings.HasSuffix(spec.AppsDomain(), "."+spec.Domain()) {
		all = append(all, fmt.Sprintf("The DNS record *.%s must point to ingress.%s. Until then the web console is not reachable.", spec.AppsDomain(), spec.Domain()))
	}
	if spec.Syn.LieutenantURL != "" {
		all = append(all, "If you are not signed in to Lieutenant and Vault, sign in on two pages in a browser.",
			fmt.Sprintf("At the end, the service %s must be created in the portal of the single sign-on, so that people can log in to the cluster.", spec.Cluster.ID))
	}
	return all
}

// exported is the answers file that was written beside a draft.
type exported struct {
	mu      sync.Mutex
	path    string // "" before that
	content []byte
}

// export writes the answers into a file beside a path; files of others are never overwritten.
func (e *exported) export(beside string, content []byte) (path string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n := 1; ; n++ {
		path = beside + ".answers.yaml"
		if n > 1 {
			path = fmt.Sprintf("%s.answers-%d.yaml", beside, n)
		}
		there, err := fileread.Bytes(path, fileread.Small)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("write the answers file: %w", err)
		case err != nil, bytes.Equal(there, content), e.is(path, there):
			return path, e.write(path, content)
		}
	}
}

// is reports whether a file is unchanged since it was written.
func (e *exported) is(path string, content []byte) bool {
	return e.path == path && bytes.Equal(e.content, content)
}

func (e *exported) write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the answers file: %w", err)
	}
	if err := renameio.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("write the answers file: %w", err)
	}
	e.path, e.content = path, content
	return nil
}

// rewrite replaces the content, unless the file was edited.
func (e *exported) rewrite(content []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	there, err := fileread.Bytes(e.path, fileread.Small)
	if e.path == "" || err != nil || !e.is(e.path, there) {
		return nil
	}
	return e.write(e.path, content)
}
