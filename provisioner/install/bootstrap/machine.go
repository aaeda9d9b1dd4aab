// Package bootstrap runs the bootstrap machine: it uploads its document, starts it, looks inside, and removes it.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/state"
)

// Cloud is the part of Exoscale's API that the bootstrap machine needs beside its start.
type Cloud interface {
	// EnsureSecurityGroup adds the rules that are missing (state.Updated).
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// DeleteRules deletes the rules of the security group of that name for which useless returns true; a group that does
	// not exist has none.
	DeleteRules(ctx context.Context, group string, useless func(state.Rule) bool) (state.Action, error)
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// DeleteInstance accepts a machine that is gone already, and then reports state.Found.
	DeleteInstance(ctx context.Context, id string) (state.Action, error)
}

// Objects is the part of the object storage that the document passes through.
type Objects interface {
	// EnsureObject uploads content unless the bucket has the same content already.
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// CheckPrivate fails with fault.Conflict if anybody may read the object without a signature.
	CheckPrivate(ctx context.Context, bucket, key string) error
	// SignGetURL returns a link by which anybody can read the object until it expires.
	SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	// DeleteBucket deletes a bucket with all its objects, unless it has the mark of another cluster.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
}

// Cluster reports how far a bootstrap is.
type Cluster interface {
	generation.Cluster
	// GetConsoleURL returns the address of the web console, or "" if there is none.
	GetConsoleURL(ctx context.Context) (string, error)
}

// Deps is what the bootstrap machine is run with.
type Deps struct {
	Spec      state.Spec
	Folder    state.Folder
	Facts     *state.FactsStore
	Cloud     Cloud
	Objects   Objects
	Cluster   Cluster
	Clock     provisioner.Clock
	IsPreview bool // nothing is changed, neither in the cloud nor in the folder

	Buckets   *access.Buckets
	DNS       *network.DNS
	Image     *nodeimage.Image
	Generator *generation.Generator
	Machines  *machines.Machines
	Access    *Access
	Phases    *Phases
}

// Machine is the bootstrap machine with its document.
type Machine struct {
	Deps

	document []byte
	url      string // signed
}

// New returns the bootstrap machine of a cluster.
func New(of Deps) *Machine { return &Machine{Deps: of} }

const (
	purpose     = "bootstrap" // of its bucket
	documentKey = "bootstrap.ign"
	// linkValid leaves time for a slow start of the bootstrap machine, but is shorter than a day.
	linkValid = 4 * time.Hour
)

// Upload puts the document behind a signed link.
func (m *Machine) Upload(ctx context.Context, report provisioner.Report) error {
	if m.Facts.Get().IsBootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	m.document = m.Generator.Ignition().Bootstrap
	if m.document == nil {
		return fault.Newf(fault.Conflict, "upload bootstrap.ign", "it was removed after the bootstrap, and the facts do not list one").
			WithHint("rebuild the facts: exoshift verify --dir %s --repair", m.Folder.Path())
	}
	if err := m.ensureIdentity(); err != nil {
		return err
	}
	if err := m.exceptFromProxy(ctx); err != nil {
		return err
	}
	if err := ignition.Check(m.document); err != nil {
		return err
	}
	bucket := m.Spec.Bucket(purpose)
	if err := m.Buckets.EnsureOne(ctx, report, purpose); err != nil {
		return err
	}
	action, err := m.Objects.EnsureObject(ctx, bucket, documentKey, m.document)
	if err != nil {
		return err
	}
	report.EmitObject(access.KindStoredObject, bucket+"/"+documentKey, "", string(action))
	if err := m.checkPrivate(ctx, bucket); err != nil {
		return err
	}
	m.url, err = m.Objects.SignGetURL(ctx, bucket, documentKey, linkValid)
	return err
}

// The bootstrap machine's keys are created once per generation, so that a resumed run renders the same document.
func (m *Machine) ensureIdentity() error {
	const name = state.InstallDir + "/" + state.IdentityFile
	identity, err := m.Folder.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		if identity, err = ignition.NewIdentity(time.Now()); err == nil {
			err = m.Folder.Write(name, identity)
		}
	}
	if err != nil {
		return err
	}
	document, err := ignition.WithIdentity(m.document, identity)
	if err != nil {
		return fault.New(fault.Invalid, "use the keys in "+m.Folder.Path(name), err).
			WithHint("delete this file if the bootstrap machine was not started yet, then run again")
	}
	m.document = document
	return nil
}

// checkPrivate requests bootstrap.ign, which holds the cluster's keys, without credentials. If that succeeds, the object
// is deleted at once.
func (m *Machine) checkPrivate(ctx context.Context, bucket string) error {
	err := m.Objects.CheckPrivate(ctx, bucket, documentKey)
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	if _, failed := m.Objects.DeleteBucket(context.WithoutCancel(ctx), bucket); failed != nil {
		return fault.Newf(fault.Conflict, "take bootstrap.ign back", "%w; anyone can read it: %w", failed, err).
			WithHint("delete bucket %s now: it contains the cluster's keys", bucket)
	}
	return err
}

// Ensure starts the machine, unless the bootstrap is over.
func (m *Machine) Ensure(ctx context.Context, report provisioner.Report) error {
	if m.Facts.Get().IsBootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	if !m.IsPreview {
		if err := generation.CheckAge(ctx, m.Generator.Ignition(), m.Cluster, m.Clock); err != nil {
			return err
		}
	}
	if err := m.recordStart(); err != nil {
		return err
	}
	err := m.Machines.Start(ctx, report, m.Spec.Machines(state.RoleBootstrap), m.Image.Template(), func(state.Machine) ([]byte, error) {
		return ignition.RenderBootstrapPointer("bootstrap", m.url, m.document)
	})
	if err != nil {
		return err
	}
	m.Phases.Emit(report, state.PhaseMachine, "the bootstrap machine runs")
	return nil
}

// Preview lists the bootstrap's objects, which are temporary, or what is still to be deleted of them.
func (m *Machine) Preview(ctx context.Context, report provisioner.Report) error {
	if m.Facts.Get().IsBootstrapped() {
		return m.previewRemoval(ctx, report)
	}
	if err := m.Buckets.EnsureOne(ctx, report, purpose); err != nil {
		return err
	}
	return m.Ensure(ctx, report)
}

func (m *Machine) previewRemoval(ctx context.Context, report provisioner.Report) error {
	return m.Remove(ctx, func(e provisioner.Event) {
		if e.Action != string(state.Found) {
			report(e)
		}
	})
}

// Remove first records that the bootstrap is over, so that no later run starts a second one. Then the machine is
// removed: first from DNS and the load balancers, and once their caches have expired, the machine itself. Its document,
// which holds the cluster's keys, is deleted with it.
func (m *Machine) Remove(ctx context.Context, report provisioner.Report) error {
	if !m.Facts.Get().IsBootstrapped() {
		now := m.Clock.Now().UTC().Truncate(time.Second)
		if err := m.Facts.Update(func(facts *state.Facts) { facts.BootstrapRemoved = now }); err != nil {
			return err
		}
	}
	m.Access.close(ctx, report)
	if err := m.removeRecords(ctx, report); err != nil {
		return err
	}
	if err := m.waitDrained(ctx, report); err != nil {
		return err
	}
	if err := m.deleteInstance(ctx, report); err != nil {
		return err
	}
	m.Phases.Emit(report, state.PhaseMemberRemoved, "the bootstrap machine is gone")
	if err := m.Buckets.Delete(ctx, report, purpose, documentKey); err != nil || m.IsPreview {
		return err
	}
	return m.Generator.RemoveSecrets()
}

// The records are removed before the machine, whose address identifies them.
func (m *Machine) removeRecords(ctx context.Context, report provisioner.Report) error {
	machines, err := m.listInstances(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		if err := m.DNS.Withdraw(ctx, report, m.Spec.Machines(state.RoleBootstrap)[0], machine.Address); err != nil {
			return err
		}
	}
	return nil
}

// The time for which a deleted name may still resolve to its address: the TTL of resolvers, and the cache of the load
// balancers (hold nx and obsolete in haproxy.cfg), which resolve every two seconds.
const drainTime = (network.ShortTTL + 30 + 2) * time.Second

// waitDrained waits until no cache resolves to the bootstrap machine: its address may be reassigned soon after
// it is deleted. After an interrupted run it waits the full time again, because the time of the names' deletion is not
// known.
func (m *Machine) waitDrained(ctx context.Context, report provisioner.Report) error {
	machines, err := m.listInstances(ctx)
	if err != nil || len(machines) == 0 || m.IsPreview {
		return err
	}
	report.EmitProgress(fmt.Sprintf("waiting %s until no load balancer and resolver uses it any more", drainTime))
	return m.Clock.Sleep(ctx, drainTime)
}

func (m *Machine) listInstances(ctx context.Context) ([]state.Instance, error) {
	labels := m.Spec.Labels()
	labels[state.LabelRole] = string(state.RoleBootstrap)
	return m.Cloud.ListInstances(ctx, labels)
}

func (m *Machine) deleteInstance(ctx context.Context, report provisioner.Report) error {
	machines, err := m.listInstances(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		action, err := m.Cloud.DeleteInstance(ctx, machine.ID)
		if err != nil {
			return err
		}
		report.EmitObject(state.KindInstance, machine.Name, machine.ID, string(action))
	}
	return nil
}

// Recover finds out whether the bootstrap is over, if the facts do not say so. A second bootstrap would destroy a
// running cluster, so its end has to be certain.
func (m *Machine) Recover(ctx context.Context) error {
	const op = "check whether the bootstrap is complete"
	if m.Facts.Get().IsBootstrapped() {
		return nil
	}
	if alone, err := generation.HasOnlyMasters(ctx, m.Spec, m.Facts.Get(), m.Cloud); err != nil || !alone {
		return err
	}
	over, err := generation.HasReached(ctx, m.Cluster, m.Clock, state.PhaseComplete)
	switch {
	case err != nil:
		return err
	case over:
		now := m.Clock.Now().UTC().Truncate(time.Second)
		return m.Facts.Update(func(facts *state.Facts) { facts.BootstrapRemoved = now })
	}
	if _, err := m.Cluster.GetConsoleURL(ctx); err != nil {
		return fault.New(fault.KindOf(err), op, err).
			WithHint("there are masters and no bootstrap machine: check that api.%s:6443 is reachable from here, then run again", m.Spec.Domain())
	}
	return nil
}
