package explain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install"
	"exoshift/state"
)

func listRules() []Page {
	var pages []Page
	for _, rule := range diagnosis.Rules() {
		rows := []Row{{"confidence", rule.Confidence}}
		if rule.HoldFor > 0 {
			rows = append(rows, Row{"holds for", text.FormatDuration(rule.HoldFor) + " before it is reported"})
		}
		rows = append(rows, Row{"blocks", string(rule.Blocks)}, Row{"the run", describeDisposition(rule)}, Row{"fix", rule.Fix}, Row{"prevent", getRulePrevention(rule.ID)}, Row{"hides", strings.Join(rule.Explains, ", ")})
		if rule.General {
			rows = append(rows, Row{"hidden", "beside a finding that blocks an earlier phase" + text.WithAffixes(strings.Join(rule.Reasons, ", "), ", and beside ", "")})
		}
		pages = append(pages, Page{Kind: KindRule, ID: rule.ID, Title: rule.Cause, Rows: keepFilled(rows)})
	}
	return pages
}

// listSteps returns the steps of a cluster with Project Syn and of one without it, which have some of their own each.
func listSteps() []Page {
	connected := state.Default()
	connected.Syn.LieutenantURL = "https://api.syn.example.com"
	var pages []Page
	names := map[string]string{}
	for _, code := range listCodes() {
		names[code.ID] = code.Alias
	}
	for _, plan := range []provisioner.Plan{install.Steps(state.Default()), install.Steps(connected)} {
		for _, step := range plan {
			if !slices.ContainsFunc(pages, func(p Page) bool { return p.ID == step.ID }) {
				pages = append(pages, newStepPage(step, plan, names))
			}
		}
	}
	return pages
}

func newStepPage(step provisioner.Step, plan provisioner.Plan, codes map[string]string) Page {
	var before []string
	for _, other := range plan {
		if slices.Contains(other.Needs, step.ID) {
			before = append(before, other.ID)
		}
	}
	usual := ""
	if step.Usual > 0 {
		usual = text.FormatDuration(step.Usual.Round(time.Second))
	}
	return Page{Kind: KindStep, ID: step.ID, Title: step.Title, Rows: keepFilled([]Row{
		{"phase", step.Phase}, {"usually", usual}, {"after", strings.Join(step.Needs, ", ")}, {"before", strings.Join(before, ", ")},
		{"a failure", fmt.Sprintf("ends with exit code %s unless its kind has its own code", describeCode(step, codes))},
	})}
}

func describeCode(step provisioner.Step, names map[string]string) string {
	code := strconv.Itoa(exit.Code(&provisioner.StepError{Step: step, Err: errors.New("it failed")}))
	return fmt.Sprintf("%s (%s)", code, names[code])
}

func keepFilled(rows []Row) []Row {
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Text == "" })
}

func describeDisposition(rule diagnosis.Rule) string {
	described := string(rule.Disposition)
	if rule.Disposition != diagnosis.Wait {
		described += ", if the confidence is high"
	}
	if rule.Restores != "" {
		described += " (" + string(rule.Restores) + ")"
	}
	return described + ": " + rule.Disposition.Describe() + text.WithAffixes(rule.Waits, ", as ", "")
}
