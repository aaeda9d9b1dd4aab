package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Answers that failures of the preflight are about.
const (
	apiKeyField  = "exoscale.apiKey"
	zoneField    = "exoscale.zone"
	versionField = "openshift.version"
)

// maxSkew is how far this machine's clock may be off. Certificates that are generated here are valid from now on:
// machines whose clocks are right would refuse those of a clock that is ahead.
const maxSkew = 30 * time.Second

func (i *Installation) credentials(ctx context.Context, _ provisioner.Report) error {
	return CheckAccess(ctx, i.world.Cloud)
}

// CheckAccess finds out whether the credentials and the zone are good: fault.Denied, fault.Invalid for an unknown zone,
// fault.Conflict for a clock that is wrong. The clock comes first: with a wrong one, every signature is refused like that
// of a wrong key.
func CheckAccess(ctx context.Context, account Account) error {
	server, clockErr := account.ServerTime(ctx)
	if skew := time.Since(server).Round(time.Second); clockErr == nil && skew.Abs() > maxSkew {
		return fault.Newf(fault.Conflict, "compare the clocks", "this machine's clock is %s Exoscale's", relation(skew)).
			WithHint("set the clock, e.g. with `timedatectl set-ntp true`, then run again; nothing was created")
	}
	err := fault.Blame(account.CheckCredentials(ctx), apiKeyField, fault.Denied)
	if err = fault.Blame(err, zoneField, fault.Invalid); err != nil {
		return err
	}
	return clockErr
}

// relation says how a clock that is off by skew stands to another.
func relation(skew time.Duration) string {
	if skew < 0 {
		return skew.Abs().String() + " behind"
	}
	return skew.String() + " ahead of"
}

// permissions reads a list of each kind. What may not be read could not be found again either; whether the key may also
// create cannot be tried without creating.
func (i *Installation) permissions(ctx context.Context, report provisioner.Report) error {
	objects, err := i.world.Cloud.Objects(ctx)
	buckets, bucketsErr := i.world.Objects.Buckets(ctx)
	if err = errors.Join(err, bucketsErr); err != nil {
		return denied(err)
	}
	i.there = append(objects, buckets...)
	report.Progress(fmt.Sprintf("objects: %d, of this cluster: %d", len(i.there), i.ours()))
	return nil
}

// denied makes one sentence of many refusals to list a kind.
func denied(err error) error {
	kinds, err := Unlisted(err)
	if err != nil {
		return err
	}
	return fault.Newf(fault.Denied, "look at everything that is there", "the API key may not list %s", strings.Join(kinds, ", ")).
		WithHint("use a key whose IAM role may read and change the services compute, dns, iam and sos; nothing was created").About(apiKeyField)
}

// Unlisted returns the kinds of objects that somebody was refused to list. If err joins anything else, it is returned.
func Unlisted(err error) (kinds []string, other error) {
	if err == nil {
		return nil, nil
	}
	for _, one := range refusals(err) {
		var refusal *fault.Error
		if !errors.As(one, &refusal) || refusal.Kind != fault.Denied {
			return nil, err
		}
		kinds = append(kinds, strings.TrimSuffix(strings.TrimPrefix(refusal.Op, "list "), "s"))
	}
	return kinds, nil
}

// refusals takes joined errors apart.
func refusals(err error) []error {
	joined, several := err.(interface{ Unwrap() []error }) // the outermost one only, as errors.Join made it
	if !several {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, refusals(one)...)
	}
	return all
}

func (i *Installation) ours() int {
	n := 0
	for _, o := range i.there {
		if o.Labels[state.LabelCluster] == i.spec.Cluster.ID || strings.HasPrefix(o.Name, i.name("")) {
			n++
		}
	}
	return n
}

// collisions looks for names that others hold, and for machines of this cluster that another folder started.
func (i *Installation) collisions(ctx context.Context, _ provisioner.Report) error {
	if err := i.strangers(); err != nil {
		return err
	}
	return i.checkBuckets(ctx)
}

// strangers refuses objects that bear our names without our label, and machines that hold other certificates.
func (i *Installation) strangers() error {
	var held []string
	names := Names(i.spec)
	for _, o := range i.there {
		labelled := o.Kind == state.KindElasticIP || o.Kind == state.KindRole
		named := slices.ContainsFunc(names, func(n state.Object) bool { return n.Kind == o.Kind && n.Name == o.Name })
		if labelled && named && o.Labels[state.LabelCluster] != i.spec.Cluster.ID {
			held = append(held, o.Kind+" "+o.Name+" ("+o.ID+")")
		}
	}
	if len(held) > 0 {
		return fault.Newf(fault.Conflict, "look for names that others hold", "not made by this program: %s", strings.Join(held, ", ")).
			WithHint("rename or delete them, or choose another cluster.id").About("cluster.id")
	}
	return i.mixedMachines()
}

// mixedMachines refuses machines of this cluster that were started with other certificates than those of the folder.
func (i *Installation) mixedMachines() error {
	const op = "compare the certificates of the machines"
	facts := i.Facts()
	var mixed []string
	for _, o := range i.there {
		if o.Kind == state.KindInstance && o.Labels[state.LabelCluster] == i.spec.Cluster.ID && otherCertificates(o.Labels, facts.RootCAHash) {
			mixed = append(mixed, o.Name)
		}
	}
	switch {
	case len(mixed) == 0:
		return nil
	case facts.RootCAHash == "":
		return fault.Newf(fault.Conflict, op, "cluster %s has machines already, %s, and %s does not hold their certificates",
			i.spec.Cluster.ID, strings.Join(mixed, ", "), i.folder.Path()).
			WithHint("name the folder it was installed from with --dir; if its facts were lost, rebuild them with `exoshift verify --repair`; or remove the cluster with `exoshift destroy`")
	case i.options.Renew && !i.bootstrapped():
		return nil
	}
	return fault.Newf(fault.Conflict, op, "%s holds other certificates than these machines were started with: %s",
		i.folder.Path(), strings.Join(mixed, ", ")).WithHint("put the original folder back, or %s", renewHint)
}
