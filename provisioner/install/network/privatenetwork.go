package network

import (
	"context"
	"fmt"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/privatenetwork"
)

// StepPrivateNetwork is the ID of the step that runs PrivateNetwork.Ensure.
const StepPrivateNetwork = "private-network"

// PrivateNetwork creates the private network of the nodes, and knows it.
type PrivateNetwork struct {
	spec  state.Spec
	cloud Cloud
	made  privatenetwork.Network
}

// NewPrivateNetwork returns the private network of a cluster.
func NewPrivateNetwork(spec state.Spec, cloud Cloud) *PrivateNetwork {
	return &PrivateNetwork{spec: spec, cloud: cloud}
}

// FormatPrivateNetwork returns the name of a cluster's private network.
func FormatPrivateNetwork(spec state.Spec) string { return spec.ObjectName("private") }

// IsWanted reports whether the answers ask for it.
func (p *PrivateNetwork) IsWanted() bool { return p.spec.Network.PrivateNetwork != "" }

// Get returns the network, once Ensure has returned.
func (p *PrivateNetwork) Get() privatenetwork.Network { return p.made }

// ListIDs returns the ID of the network that a role's machines are attached to: of all nodes but the masters. There is none in a preview of its creation.
func (p *PrivateNetwork) ListIDs() []string {
	if p.made.ID == "" {
		return nil
	}
	return []string{p.made.ID}
}

// Ensure creates the network, if the answers ask for one.
func (p *PrivateNetwork) Ensure(ctx context.Context, report provisioner.Report) error {
	if !p.IsWanted() {
		return nil
	}
	wanted, err := privatenetwork.New(p.spec.Network.PrivateNetwork)
	if err != nil {
		return fault.New(fault.Invalid, "ensure private-network "+FormatPrivateNetwork(p.spec), err).WithField("network.privateNetwork")
	}
	wanted.Name, wanted.Description, wanted.Labels = FormatPrivateNetwork(p.spec), p.spec.ObjectDescription("private network"), p.spec.Labels()
	made, action, err := p.cloud.EnsurePrivateNetwork(ctx, wanted)
	if err != nil {
		return err
	}
	p.made = made
	report.EmitObject(state.KindPrivateNetwork, made.Name, made.ID, string(action))
	return nil
}

// DescribePrivateNetwork returns what the private network of answers is like, for a plan.
func DescribePrivateNetwork(spec state.Spec) string {
	wanted, err := privatenetwork.New(spec.Network.PrivateNetwork)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s, gives out %s to %s", wanted.Range, wanted.Start, wanted.End)
}
