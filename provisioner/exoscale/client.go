// Package exoscale is a client of the Exoscale API, built on egoscale/v2: it ensures objects by name, treats deletions of missing
// objects as success, and returns every failure with a kind and a hint.
package exoscale

import (
	"context"

	"exoshift/internal/network"
	"exoshift/provisioner/exoscale/api"
	"exoshift/provisioner/exoscale/apikeys"
	"exoshift/provisioner/exoscale/inventory"
	"exoshift/provisioner/exoscale/privatenetwork"
	"exoshift/state"
)

// Client is one organization in one zone: a group of methods for each kind of resource. They may be called concurrently.
type Client struct {
	*Account
	*SecurityGroups
	*Placement
	*ElasticIPs
	*DNS
	*IAM
	*Templates
	*InstanceTypes
	*Instances
	*InstancePools
	*privatenetwork.Networks
	*inventory.Inventory
	*apikeys.Rotation
	api *api.Client
}

// New returns a client for a zone, e.g. "ch-gva-2". It sends no requests. Call Close when the client is no longer needed.
func New(net network.Network, zone, key, secret string, journal state.Recorder) (*Client, error) {
	client, err := api.New(net, zone, key, secret, journal)
	if err != nil {
		return nil, err
	}
	return newClient(client), nil
}

func newClient(c *api.Client) *Client {
	types := &InstanceTypes{api: c}
	instances := &Instances{api: c, types: types}
	return &Client{
		Account:        &Account{c},
		SecurityGroups: &SecurityGroups{api: c},
		Placement:      &Placement{c},
		ElasticIPs:     &ElasticIPs{c},
		DNS:            &DNS{c},
		IAM:            &IAM{c},
		Templates:      &Templates{c},
		InstanceTypes:  types,
		Instances:      instances,
		InstancePools:  &InstancePools{api: c, types: types, instances: instances},
		Networks:       privatenetwork.New(c),
		Inventory:      inventory.New(c, types.mapNames),
		Rotation:       apikeys.New(c),
		api:            c,
	}
}

// WithPreview returns a client that reads but changes nothing: its methods return the actions that they would take, and change
// neither the cloud nor the journal. What would be created has no ID and no address; "" is used in their place.
func (c *Client) WithPreview() *Client { return newClient(c.api.WithPreview()) }

// OnOutage makes the client patient: once the API has answered, requests that may be repeated are repeated for api.AwayLimit while
// it is away. notify is called once when an outage is more than a moment and once when it is over; it must not call the client.
func (c *Client) OnOutage(notify func(state.Outage)) { c.api.OnOutage(notify) }

// Close closes idle connections.
func (c *Client) Close() { c.api.Close() }

// Delete deletes an object of any kind but a bucket, and waits until it is gone; see inventory.Inventory.Delete. A DNS record is
// deleted from the zone that its Uses name.
func (c *Client) Delete(ctx context.Context, o state.Object) (state.Action, error) {
	if o.Kind == state.KindRecord {
		return c.deleteRecordOf(ctx, o)
	}
	return c.Inventory.Delete(ctx, o)
}
