// Package compute is the part of the Exoscale API of a simulated zone that is about virtual machines: instances, their types, pools,
// templates, snapshots, SSH keys, anti-affinity groups and deploy targets.
package compute

import (
	"net/http"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/simcloud/api/storage"
)

// Compute is all resources that are about virtual machines.
type Compute struct {
	Instances    *Instances
	Templates    *Templates
	Snapshots    *Snapshots
	tables       *instance.Tables
	Pools        *Pools
	keys         *SSHKeys
	antiAffinity *AntiAffinityGroups
}

// New opens the resources. The client fetches the images of templates.
func New(store *resource.Store, tables *instance.Tables, network *networking.Networking, volumes *storage.Volumes, client *http.Client) *Compute {
	c := &Compute{
		tables:       tables,
		Templates:    &Templates{store: store, table: resource.Open[template](store, "template"), http: client},
		keys:         &SSHKeys{store: store, table: resource.Open[sshKey](store, "ssh-key")},
		antiAffinity: &AntiAffinityGroups{store: store, tables: tables, table: resource.Open[antiAffinityGroup](store, antiAffinityNoun)},
	}
	c.Snapshots = &Snapshots{store: store, tables: tables, templates: c.Templates, table: resource.OpenStateful[snapshot](store, "snapshot")}
	launcher := &launcher{
		store: store, tables: tables, groups: network.SecurityGroups, templates: c.Templates, keys: c.keys.table, antiAffinity: c.antiAffinity,
	}
	c.Pools = &Pools{store: store, tables: tables, launcher: launcher, networking: network}
	c.Instances = &Instances{
		store: store, tables: tables, launcher: launcher, networking: network, volumes: volumes, snapshots: c.Snapshots, pools: c.Pools,
		userData: map[string]decodedUserData{},
	}
	tables.Instances.OnDestroy(c.Instances.destroy)
	store.OnTemplate(c.Templates.outcome)
	store.Quotas.Count("template", c.Templates.table.Len)
	store.Quotas.Count("snapshot", c.Snapshots.table.Len)
	return c
}

// Resume continues what an earlier process began.
func (c *Compute) Resume() { c.Templates.fetchPending() }

// RegisterRoutes adds the routes of all resources.
func (c *Compute) RegisterRoutes(register rest.Register) {
	c.Instances.registerRoutes(register)
	c.Pools.registerRoutes(register)
	c.Templates.registerRoutes(register)
	c.Snapshots.registerRoutes(register)
	c.keys.registerRoutes(register)
	c.antiAffinity.registerRoutes(register)
	registerTargetRoutes(register)
	register("GET /instance-type", func(*rest.Request) (any, error) {
		return map[string]any{"instance-types": c.tables.Types()}, nil
	})
	register("GET /instance-type/{id}", func(req *rest.Request) (any, error) { return c.tables.FindType(req.ID()) })
}
