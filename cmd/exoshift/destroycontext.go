package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"time"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/console"
	"exoshift/internal/network"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/exoscale/api"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/state"
	"exoshift/wizard"
)

const inventoryFile = "inventory.json"

type teardownContext struct {
	spec      state.Spec
	secrets   wizard.Secrets
	net       network.Network
	access    *environment.Access
	folder    state.Folder // if kept
	hasFolder bool
	facts     state.Facts
}

func (s teardownContext) newTeardownView(inventory destroy.Inventory) console.Teardown {
	told := console.Teardown{Cluster: s.spec.Cluster.ID, Zone: s.spec.Exoscale.Zone, Inventory: inventory}
	if prices, err := assets.ReadPrices(); err == nil { // savings are optional output
		told.Price = func(o state.Object) (float64, bool) { return prices.PerHour(o.Kind, o.Type, o.GiB) }
		told.PricesOf = prices.Date
	}
	return told
}

func (s teardownContext) newClients(journal api.Journal) (world destroy.Clients, disconnect func(), err error) {
	zone, key, secret := s.spec.Exoscale.Zone, s.secrets.APIKey, s.secrets.APISecret
	cloud, err := exoscale.New(s.net, zone, key, secret, journal)
	if err != nil {
		return world, nil, err
	}
	storage, err := objects.New(s.net, zone, key, secret, journal)
	if err != nil {
		return world, nil, err
	}
	world = destroy.Clients{Cloud: cloud, Buckets: storage.WithOwner(s.spec.Cluster.ID), Clock: s.net.Clock, Syn: s.newSynClients()}
	disconnect = func() { cloud.Close(); storage.Close() }
	if kubeconfig, err := s.readKubeconfig(); err == nil {
		cluster := openshift.NewCluster(s.net, func() ([]byte, error) { return kubeconfig, nil })
		world.Cluster = cluster
		disconnect = func() { cloud.Close(); storage.Close(); cluster.Close() }
	}
	return world, disconnect, nil
}

func (s teardownContext) readKubeconfig() ([]byte, error) {
	if !s.hasFolder {
		return nil, fs.ErrNotExist
	}
	return s.folder.Read(state.InstallDir + "/auth/kubeconfig")
}

// save records the inventory, merged with those of earlier teardowns, before anything is deleted: for a detached volume it is
// the only proof of ownership.
func (s teardownContext) save(earlier []destroy.Found, inventory destroy.Inventory) error {
	if !s.hasFolder {
		return nil
	}
	content, err := json.Marshal(append(earlier, inventory.Objects...))
	if err != nil {
		return fmt.Errorf("keep what was found: %w", err)
	}
	return s.folder.Write(inventoryFile, append(content, '\n'))
}

// markDestroyed keeps the folder without its keys.
func (s teardownContext) markDestroyed() error {
	if !s.hasFolder {
		return nil
	}
	s.facts.ClusterID, s.facts.Destroyed = s.spec.Cluster.ID, s.net.Clock.Now().UTC().Truncate(time.Second)
	if err := s.folder.SaveFacts(s.facts); err != nil {
		return err
	}
	return s.folder.RemoveKeys()
}

// openEvents discards events without a folder.
func (s teardownContext) openEvents() (*os.File, error) {
	if !s.hasFolder {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return s.folder.Append(state.TeardownFile)
}

type closingJournal interface {
	api.Journal
	Close() error
}

// discardJournal is used without a folder: objects are found by their labels.
type discardJournal struct{}

func (discardJournal) RecordIntent(string, string) error { return nil }

func (discardJournal) RecordResult(string, string, string, state.Action) error { return nil }

func (discardJournal) Close() error { return nil }
