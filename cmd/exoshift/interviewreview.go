package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/wizard"
)

func (c *interviewBackend) buildReview(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Review, error) {
	path, err := c.resolveFolder(spec)
	if err != nil {
		return wizard.Review{}, err
	}
	folder, err := state.OpenReadOnly(path)
	if err != nil {
		return wizard.Review{}, err
	}
	s, err := c.newPreview().newSession(ctx, spec, secrets, folder)
	if err != nil {
		return wizard.Review{}, err
	}
	preview, err := s.previewInstallation(ctx)
	if err != nil {
		return wizard.Review{}, err
	}
	told := wizard.Review{
		Changes: toPlanned(preview), Quotas: toQuotaNeeds(preview.Quotas), Estimate: c.estimateCost(spec),
		Minutes: estimateMinutes(install.Steps(spec)), Actions: listManualActions(spec), Difference: preview.Difference.Unified,
	}
	answers := c.finalAnswers().Copy()
	answers.Spec = spec
	told.Export, err = c.export(answers)
	return told, err
}

func toPlanned(preview install.Preview) []wizard.PlannedChange {
	planned := make([]wizard.PlannedChange, len(preview.Changes))
	for n, change := range preview.Changes {
		planned[n] = wizard.PlannedChange{Action: formatPlannedAction(change.Action), Kind: change.Kind, Name: change.Name, Detail: change.Details}
	}
	return planned
}

func formatPlannedAction(action state.Action) string {
	if word := formatAction(action); word != "none" {
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

func (c *interviewBackend) export(answers *wizard.Answers) (path string, err error) {
	beside, err := c.resolveFolder(answers.Spec)
	if err != nil {
		return "", err
	}
	return c.exported.export(beside, wizard.Export(answers.Spec, answers.Origins))
}

// estimateMinutes returns the usual duration of a plan, in multiples of five minutes: at most its critical path. Steps rarely
// all take their maximum; the fastest runs need three fifths of it.
func estimateMinutes(plan provisioner.Plan) [2]int {
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

func listManualActions(spec state.Spec) []string {
	all := []string{fmt.Sprintf("Once the DNS zone %s exists, somebody who may change the zone above it has to add the NS records that you will be shown. "+
		"The installation waits for that and goes on by itself.", spec.Domain())}
	if !strings.HasSuffix(spec.AppsDomain(), "."+spec.Domain()) {
		all = append(all, fmt.Sprintf("Somebody leads *.%s to ingress.%s. Until then the web console is not found.", spec.AppsDomain(), spec.Domain()))
	}
	if spec.Syn.LieutenantURL != "" {
		all = append(all, "If you are not signed in at Lieutenant and Vault, you open two pages in a browser and sign in.",
			fmt.Sprintf("At the end, somebody who may do so makes the service %s in the portal of the single sign-on, for people to log in to the cluster.", spec.Cluster.ID))
	}
	return all
}
