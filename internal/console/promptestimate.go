package console

import (
	"exoshift/wizard"
)

func (c *promptSession) printEstimates(screen wizard.Screen) {
	switch screen {
	case wizard.Nodes:
		c.printNodeEstimate()
	case wizard.Network:
		held := wizard.ComputeCapacity(c.session.Answers.Spec)
		c.printLine("The pod network has room for %d nodes of %d pods each; %d nodes are planned. The service network has room for %d services.",
			held.Nodes, held.PodsPerNode, held.Wanted, held.Services)
	}
}

func (c *promptSession) printNodeEstimate() {
	estimate := c.computeEstimate()
	if estimate.Machines > 0 {
		c.printLine("That is %s at the most, with the bootstrap machine, which is there for a while only.", formatCount(estimate.Machines, "machine"))
	}
	c.printCost(estimate)
	if len(c.listQuotas()) > 0 {
		c.printLine("The quotas of your organization suffice for it.")
	}
}

func (c *promptSession) computeEstimate() wizard.Estimate {
	if c.session.Estimate == nil {
		return wizard.Estimate{}
	}
	return c.session.Estimate(c.session.Answers.Spec)
}

// listQuotas returns the limits of the organization that lookups have found.
func (c *promptSession) listQuotas() []wizard.Quota {
	var all []wizard.Quota
	for _, inquiry := range c.session.Lookups {
		all = append(all, c.lookups[inquiry.ID].result.Quotas...)
	}
	return all
}

// listQuotaProblems returns exceeded limits, on the screen of the field that can fix them, or of the nodes.
func (c *promptSession) listQuotaProblems(screen wizard.Screen) []wizard.Problem {
	quotas := c.listQuotas()
	if len(quotas) == 0 {
		return nil
	}
	var found []wizard.Problem
	for _, f := range wizard.CheckQuotas(c.session.Answers.Spec, quotas, c.computeEstimate().Needs) {
		on := wizard.ScreenOf(f.Field)
		if on == screen || on == "" && screen == wizard.Nodes {
			found = append(found, f)
		}
	}
	return found
}
