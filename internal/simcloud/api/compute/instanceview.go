package api

import (
	"strings"
	"time"
)

// wireInstance is the element of a list.
type wireInstance struct {
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	State           string            `json:"state"`
	CreatedAt       time.Time         `json:"created-at"`
	Type            ref               `json:"instance-type"`
	Template        ref               `json:"template"`
	Key             *wireKey          `json:"ssh-key,omitempty"`
	Keys            []wireKey         `json:"ssh-keys"`
	Labels          map[string]string `json:"labels"`
	PublicIP        string            `json:"public-ip,omitempty"`
	Assignment      string            `json:"public-ip-assignment"`
	MAC             string            `json:"mac-address,omitempty"`
	PrivateNetworks []wireInterface   `json:"private-networks"`
	Groups          []ref             `json:"security-groups"`
	Manager         *wireManager      `json:"manager,omitempty"`
	IPv6            string            `json:"ipv6-address,omitempty"`
}

// wireInstanceDetail is a single instance.
type wireInstanceDetail struct {
	wireInstance
	DiskSize      int64           `json:"disk-size"`
	DiskEncrypted bool            `json:"disk-encrypted"`
	UserData      string          `json:"user-data,omitempty"`
	AntiAffinity  []ref           `json:"anti-affinity-groups"`
	ElasticIPs    []wireElasticID `json:"elastic-ips"`
	Snapshots     []ref           `json:"snapshots"`
	Volumes       []ref           `json:"block-storage-volumes"`
	TPM           bool            `json:"tpm-enabled"` // the exo program panics without these two
	Secureboot    bool            `json:"secureboot-enabled"`
	Consistent    bool            `json:"application-consistent-snapshot-enabled"`
	Target        *ref            `json:"deploy-target,omitempty"`
}

type wireManager struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

const managedByPool = "instance-pool"

type wireInterface struct {
	ID  string `json:"id"`
	MAC string `json:"mac-address"`
}

type wireElasticID struct {
	ID string `json:"id"`
	IP string `json:"ip"` // undeclared, but returned by the live service
}

func (a *API) listInstances(c *call) (any, error) {
	labels, err := parseLabels(c.query("labels"))
	if err != nil {
		return nil, err
	}
	list, networks := []wireInstance{}, a.collectInterfaces()
	for _, i := range a.tables.instances.list(c.zone) {
		if matchFilters(c, i) && hasLabels(i.Labels, labels) {
			list = append(list, a.viewInstance(i, networks))
		}
	}
	return map[string]any{"instances": list}, nil
}

// matchFilters applies all filters except for labels.
func matchFilters(c *call, i instance) bool {
	address, manager := c.query("ip-address"), c.query("manager-id")
	return (address == "" || address == formatAddress(i.Address)) &&
		(manager == "" || manager == i.Pool) &&
		(c.query("manager-type") == "" || i.Pool != "")
}

// parseLabels parses "name=value,…". The live service's format is not known.
func parseLabels(text string) (map[string]string, error) {
	labels := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok && text != "" {
			return nil, newInvalidError("labels: %q is not name=value", pair)
		}
		if ok {
			labels[name] = value
		}
	}
	return labels, nil
}

func hasLabels(has, wants map[string]string) bool {
	for name, value := range wants {
		if found, ok := has[name]; !ok || found != value {
			return false
		}
	}
	return true
}

func (a *API) getInstance(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	return wireInstanceDetail{
		wireInstance:  a.viewInstance(i, a.collectInterfaces()),
		DiskSize:      i.DiskSize,
		DiskEncrypted: true,
		UserData:      i.UserData,
		AntiAffinity:  toRefs(i.AntiAffinity),
		ElasticIPs:    a.findElasticIPs(i.ID),
		Snapshots:     a.findSnapshots(i.ID),
		Volumes:       a.findVolumes(i.ID),
		TPM:           i.TPM,
		Secureboot:    i.Secureboot,
		Consistent:    i.Consistent,
		Target:        newOptionalRef(i.Target),
	}, nil
}

func (a *API) viewInstance(i instance, networks map[string][]wireInterface) wireInstance {
	view := wireInstance{
		ID: i.ID, Name: i.Name, State: i.State, CreatedAt: i.Created.Truncate(time.Second),
		Type: ref{i.Type}, Template: ref{i.Template}, Keys: toWireKeys(i.Keys), Labels: i.Labels,
		PublicIP: formatAddress(i.Address), Assignment: i.Assignment, MAC: formatMAC(i.Address),
		PrivateNetworks: networks[i.ID], Groups: toRefs(i.Groups), IPv6: i.ipv6Address(),
	}
	if view.PrivateNetworks == nil {
		view.PrivateNetworks = []wireInterface{}
	}
	if i.Pool != "" {
		view.Manager = &wireManager{ID: i.Pool, Type: managedByPool}
	}
	if len(view.Keys) > 0 {
		view.Key = &view.Keys[0]
	}
	return view
}

func toWireKeys(names []string) []wireKey {
	keys := make([]wireKey, len(names))
	for i, name := range names {
		keys[i].Name = name
	}
	return keys
}

func newOptionalRef(id string) *ref {
	if id == "" {
		return nil
	}
	return &ref{id}
}
