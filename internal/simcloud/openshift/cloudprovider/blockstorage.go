package cloudprovider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	storageDriver = "csi.exoscale.com"
	// topologyKey is the key of a zone in the topology of nodes and volumes.
	topologyKey = "topology." + storageDriver + "/zone"
)

// blockStorage is what both modes of the driver have.
type blockStorage struct {
	container.Container
	api   *apiclient.Client // uses the pod's service account
	cloud CloudAPI
	place place
}

// place is where the driver's machine is.
type place struct{ zone, instance string }

// RunBlockStorage is Exoscale's driver for block storage in a pod, in the mode that its arguments say. Its sidecars are part of
// it: without them in the pod it does not do their work.
func RunBlockStorage(ctx context.Context, c container.Container) error {
	api, err := c.NewClient()
	if err != nil {
		return err
	}
	defer api.Close()
	cloud, err := newCloudAPI(c, defaultZone)
	if err != nil {
		return err
	}
	defer cloud.Close()
	driver := blockStorage{Container: c, api: api, cloud: cloud}
	if driver.place, err = driver.findPlace(ctx); err != nil {
		return fmt.Errorf("new driver get metadata: %w", err)
	}
	if err := driver.selectEndpoint(ctx); err != nil {
		return fmt.Errorf("new driver: %w", err)
	}
	switch mode := driver.findMode(); mode {
	case "controller":
		return volumeController{blockStorage: driver, message: map[string]string{}}.run(ctx)
	case "node":
		return driver.runNode(ctx)
	default:
		return fmt.Errorf("unknown mode for driver: %s", mode)
	}
}

func (d blockStorage) findMode() string {
	for _, argument := range d.Args {
		if mode, found := strings.CutPrefix(argument, "--mode="); found {
			return mode
		}
	}
	return ""
}

func (d blockStorage) hasSidecar(name string) bool {
	for _, c := range d.Pod.List("spec.containers") {
		if image, _, _ := strings.Cut(path.Base(c.GetString("image")), ":"); image == name {
			return true
		}
	}
	return false
}

// findPlace asks the node, as the cloud controller describes it, and then the metadata service: the device that the driver tries
// in between is that of machines without a public address.
func (d blockStorage) findPlace(ctx context.Context) (place, error) {
	node, err := d.api.Get(ctx, apiclient.NodesPath+"/"+d.Env["CSI_NODE_NAME"])
	if err != nil {
		return d.readMetadata(ctx, fmt.Errorf("failed to get nodes: %w", err))
	}
	zone, _ := node.Label("topology.kubernetes.io/zone")
	instance, ours := strings.CutPrefix(node.GetString("spec.providerID"), "exoscale://")
	if zone == "" || !ours {
		return d.readMetadata(ctx, errors.New("no zone found on node, missing Exoscale CCM"))
	}
	return place{zone: zone, instance: instance}, nil
}

func (d blockStorage) readMetadata(ctx context.Context, before error) (found place, err error) {
	for key, value := range map[string]*string{"availability-zone": &found.zone, "instance-id": &found.instance} {
		if *value, err = d.readMetadatum(ctx, key); err != nil {
			return place{}, errors.Join(before, err)
		}
	}
	return found, nil
}

func (d blockStorage) readMetadatum(ctx context.Context, key string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, d.cloud.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://169.254.169.254/latest/meta-data/"+key, nil)
	if err != nil {
		return "", err
	}
	response, err := d.cloud.HTTP.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return string(content), err
}

// selectEndpoint asks the API for the endpoint of the zone.
func (d *blockStorage) selectEndpoint(ctx context.Context) error {
	var answer struct {
		Zones []struct {
			Name     string `json:"name"`
			Endpoint string `json:"api-endpoint"`
		}
	}
	if err := d.cloud.Get(ctx, "/v2/zone", &answer); err != nil {
		return err
	}
	for _, zone := range answer.Zones {
		if zone.Name == d.place.zone {
			if d.Env["EXOSCALE_API_ENDPOINT"] == "" {
				d.cloud.Base = strings.TrimSuffix(zone.Endpoint, "/v2")
			}
			return nil
		}
	}
	return fmt.Errorf("zone name %s: not found", d.place.zone)
}

func (d blockStorage) formatHandle(id string) string { return d.place.zone + "/" + id }

func parseHandle(handle string) (id string) { return handle[strings.LastIndex(handle, "/")+1:] }

func isOurs(class kube.Object) bool { return class.GetString("provisioner") == storageDriver }
