package main

import (
	"context"
	"fmt"
	"time"
)

// promptRenewal asks whether certificates that have ended, with which no cluster can be started any more, are to be
// replaced. Without a terminal nobody can be asked, and a no is not the end: the cluster may live already. The
// installation itself finds that out, and else refuses and names the flag.
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
