// Package preflight checks before anything is created whether an installation can succeed: credentials, names, what the
// zone offers, machines that exist, connectivity, quotas.
package preflight

import (
	"context"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Cloud is the part of Exoscale's API that is read before anything is created.
type Cloud interface {
	Account
	ListQuotas(ctx context.Context) ([]state.Quota, error)
	ListInstanceTypes(ctx context.Context) ([]state.InstanceType, error)
	// ListObjects returns everything that the organization has. Kinds that the API key may not list are missing, and the
	// error joins a fault.Denied for each of them.
	ListObjects(ctx context.Context) ([]state.Object, error)
	// HasBlockStorage reports whether the zone has block storage.
	HasBlockStorage(ctx context.Context) (bool, error)
	// FindDeployTarget returns the ID of dedicated hypervisors, or fault.NotFound.
	FindDeployTarget(ctx context.Context, name string) (id string, err error)
	// FindPublicTemplate returns the newest public template of that name.
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	// FindTemplate returns our own template of that name, of several equal ones the oldest, fault.NotFound, or
	// fault.Conflict if there are several different ones.
	FindTemplate(ctx context.Context, name string) (state.Template, error)
	// DescribeInstances returns the machines that have all the labels with their disks, anti-affinity groups and user data,
	// by a request for each.
	DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
}

// Account tells whether credentials are valid.
type Account interface {
	// CheckCredentials fails with fault.Denied for credentials that the API refuses and with fault.Invalid for an
	// unknown zone.
	CheckCredentials(ctx context.Context) error
	// GetServerTime returns the time of the API server.
	GetServerTime(ctx context.Context) (time.Time, error)
}

// Objects is the part of the object storage that is read before anything is created.
type Objects interface {
	// ListBuckets returns the buckets of the organization.
	ListBuckets(ctx context.Context) ([]state.Object, error)
	// GetBucketUse returns the state of a bucket's name.
	GetBucketUse(ctx context.Context, bucket string) (state.BucketUse, error)
}

const (
	apiKeyField = "exoscale.apiKey"
	zoneField   = "exoscale.zone"
)

// Certificates that are generated here are valid from now on: machines whose clocks are right would refuse those of a
// clock that is ahead.
const maxSkew = 30 * time.Second

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

// ListMachines returns the machines that an installation starts from now on.
func ListMachines(spec state.Spec, facts state.Facts) []state.Machine {
	machines := spec.Machines(state.RoleLoadBalancer)
	if !facts.IsBootstrapped() {
		machines = append(machines, spec.Machines(state.RoleBootstrap)...)
	}
	return append(machines, spec.Nodes()...)
}
