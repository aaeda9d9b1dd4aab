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
	"exoshift/provisioner/install/generation"
	"exoshift/state"
)

const (
	apiKeyField  = "exoscale.apiKey"
	zoneField    = "exoscale.zone"
	versionField = "openshift.version"
)

// Certificates that are generated here are valid from now on: machines whose clocks are right would refuse those of a
// clock that is ahead.
const maxSkew = 30 * time.Second

func (i *Installation) checkCredentials(ctx context.Context, _ provisioner.Report) error {
	return CheckAccess(ctx, i.clients.Cloud)
}

// CheckAccess checks the credentials, the zone and the clock: fault.Denied, fault.Invalid for an unknown zone,
// fault.Conflict for a clock that is wrong. The clock comes first: with a wrong one, every signature is refused like that
// of a wrong key.
func CheckAccess(ctx context.Context, account Account) error {
	server, clockErr := account.GetServerTime(ctx)
	if skew := time.Since(server).Round(time.Second); clockErr == nil && skew.Abs() > maxSkew {
		return fault.Newf(fault.Conflict, "compare the clocks", "this machine's clock is %s Exoscale's", formatSkew(skew)).
			WithHint("set the clock, e.g. with `timedatectl set-ntp true`, then run again; nothing was created")
	}
	err := fault.AttachField(account.CheckCredentials(ctx), apiKeyField, fault.Denied)
	if err = fault.AttachField(err, zoneField, fault.Invalid); err != nil {
		return err
	}
	return clockErr
}

func formatSkew(skew time.Duration) string {
	if skew < 0 {
		return skew.Abs().String() + " behind"
	}
	return skew.String() + " ahead of"
}

// checkPermissions lists each kind. Objects that may not be listed could not be found again; the permission to create
// cannot be tested without creating.
func (i *Installation) checkPermissions(ctx context.Context, report provisioner.Report) error {
	objects, err := i.clients.Cloud.ListObjects(ctx)
	buckets, bucketsErr := i.clients.Objects.ListBuckets(ctx)
	if err = errors.Join(err, bucketsErr); err != nil {
		return joinDenied(err)
	}
	i.existing = append(objects, buckets...)
	report.EmitProgress(fmt.Sprintf("objects: %d, of this cluster: %d", len(i.existing), i.countOwnObjects()))
	return nil
}

func joinDenied(err error) error {
	kinds, err := SplitUnlisted(err)
	if err != nil {
		return err
	}
	return fault.Newf(fault.Denied, "look at everything that is there", "the API key may not list %s", strings.Join(kinds, ", ")).
		WithHint("use a key whose IAM role may read and change the services compute, dns, iam and sos; nothing was created").WithField(apiKeyField)
}

// SplitUnlisted returns the kinds of objects whose listing was denied. If err joins anything else, it is returned.
func SplitUnlisted(err error) (kinds []string, other error) {
	if err == nil {
		return nil, nil
	}
	for _, one := range splitErrors(err) {
		var refusal *fault.Error
		if !errors.As(one, &refusal) || refusal.Kind != fault.Denied {
			return nil, err
		}
		kinds = append(kinds, strings.TrimSuffix(strings.TrimPrefix(refusal.Op, "list "), "s"))
	}
	return kinds, nil
}

func splitErrors(err error) []error {
	joined, several := err.(interface{ Unwrap() []error }) // the outermost one only, as made by errors.Join
	if !several {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, splitErrors(one)...)
	}
	return all
}

func (i *Installation) countOwnObjects() int {
	n := 0
	for _, o := range i.existing {
		if o.Labels[state.LabelCluster] == i.spec.Cluster.ID || strings.HasPrefix(o.Name, i.spec.ObjectName("")) {
			n++
		}
	}
	return n
}

// checkConflicts detects foreign objects of our names, and machines of this cluster that another folder started.
func (i *Installation) checkConflicts(ctx context.Context, _ provisioner.Report) error {
	if err := i.checkForeignObjects(); err != nil {
		return err
	}
	return i.checkBuckets(ctx)
}

func (i *Installation) checkForeignObjects() error {
	var held []string
	names := ListNames(i.spec)
	for _, o := range i.existing {
		labelled := o.Kind == state.KindElasticIP || o.Kind == state.KindRole
		named := slices.ContainsFunc(names, func(n state.Object) bool { return n.Kind == o.Kind && n.Name == o.Name })
		if labelled && named && o.Labels[state.LabelCluster] != i.spec.Cluster.ID {
			held = append(held, o.Kind+" "+o.Name+" ("+o.ID+")")
		}
	}
	if len(held) > 0 {
		return fault.Newf(fault.Conflict, "look for names that others hold", "not made by this program: %s", strings.Join(held, ", ")).
			WithHint("rename or delete them, or choose another cluster.id").WithField("cluster.id")
	}
	return i.checkMixedMachines()
}

func (i *Installation) checkMixedMachines() error {
	const op = "compare the certificates of the machines"
	facts := i.Facts()
	var mixed []string
	for _, o := range i.existing {
		if o.Kind == state.KindInstance && o.Labels[state.LabelCluster] == i.spec.Cluster.ID && generation.HasOtherCertificates(o.Labels, facts.RootCAHash) {
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
	case i.options.Renew && !i.Facts().IsBootstrapped():
		return nil
	}
	return fault.Newf(fault.Conflict, op, "%s holds other certificates than these machines were started with: %s",
		i.folder.Path(), strings.Join(mixed, ", ")).WithHint("put the original folder back, or %s", generation.RenewHint)
}
