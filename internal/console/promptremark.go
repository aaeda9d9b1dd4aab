package console

import (
	"exoshift/wizard"
)

// remark tells what the answers of a screen come to.
func (c *conversation) remark(screen wizard.Screen) {
	switch screen {
	case wizard.Nodes:
		c.remarkNodes()
	case wizard.Network:
		held := wizard.CapacityOf(c.talk.Answers.Spec)
		c.say("The pod network has room for %d nodes of %d pods each; %d nodes are planned. The service network has room for %d services.",
			held.Nodes, held.PodsPerNode, held.Wanted, held.Services)
	}
}

func (c *conversation) remarkNodes() {
	estimate := c.estimate()
	if estimate.Machines > 0 {
		c.say("That is %s at the most, with the bootstrap machine, which is there for a while only.", count(estimate.Machines, "machine"))
	}
	c.tellCost(estimate)
	if len(c.quotas()) > 0 {
		c.say("The quotas of your organization suffice for it.")
	}
}

// estimate calculates what the cluster costs and needs.
func (c *conversation) estimate() wizard.Estimate {
	if c.talk.Estimate == nil {
		return wizard.Estimate{}
	}
	return c.talk.Estimate(c.talk.Answers.Spec)
}

// quotas are the limits of the organization, as far as the outside told them.
func (c *conversation) quotas() []wizard.Quota {
	var all []wizard.Quota
	for _, inquiry := range c.talk.Inquiries {
		all = append(all, c.heard[inquiry.ID].reply.Quotas...)
	}
	return all
}

// shortages are the limits that do not suffice. They show on the screen of the field that mends them, or of the nodes.
func (c *conversation) shortages(screen wizard.Screen) []wizard.Fault {
	quotas := c.quotas()
	if len(quotas) == 0 {
		return nil
	}
	var found []wizard.Fault
	for _, f := range wizard.Shortages(c.talk.Answers.Spec, quotas, c.estimate().Needs) {
		on := wizard.ScreenOf(f.Field)
		if on == screen || on == "" && screen == wizard.Nodes {
			found = append(found, f)
		}
	}
	return found
}
