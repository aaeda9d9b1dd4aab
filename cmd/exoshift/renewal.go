package main

import (
	"context"
	"fmt"
	"time"
)

// promptRenewal asks whether to replace expired certificates, with which no cluster can be started. Without a terminal, or
// after a no, the run continues: the cluster may be running already. The installation checks that, and else fails with the
// name of the flag.
func (s session) promptRenewal(ctx context.Context, o *options, std streams) error {
	facts, err := s.folder.LoadFacts()
	if err != nil {
		return err
	}
	ended := !facts.IgnitionExpires.IsZero() && time.Now().After(facts.IgnitionExpires)
	if !o.output.isInteractive() || !ended || !facts.BootstrapRemoved.IsZero() {
		return nil
	}
	fmt.Fprintf(std.out, "The certificates that this cluster was to be started with ended at %s.\n"+
		"New ones are generated only together with the bootstrap machine and the nodes that hold the\n"+
		"old ones: these are deleted and started anew. Network, DNS, load balancers, image and buckets stay.\n"+
		"A cluster that lives already needs none.\n",
		facts.IgnitionExpires.UTC().Format("2006-01-02 15:04 MST"))
	if o.renew {
		return nil
	}
	o.renew, err = promptYesNo(ctx, std, "Replace them?")
	return err
}
