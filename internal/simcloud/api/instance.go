package api

import (
	"net/netip"
	"slices"
	"time"
)

// instance is a virtual machine.
type instance struct {
	row
	Name         string
	State        string
	Next         string    // the state it is on the way to, or ""
	NextAt       time.Time // when it arrives there
	Address      netip.Addr
	Assignment   string // "inet4", "dual" or "none"
	Type         string
	Template     string
	DiskSize     int64 // GiB
	UserData     string
	Labels       map[string]string
	Keys         []string
	Groups       []string
	AntiAffinity []string
	Secureboot   bool
	TPM          bool
	Protected    bool
}

// The states of an instance that the simulation knows.
const (
	starting   = "starting"
	running    = "running"
	stopping   = "stopping"
	stopped    = "stopped"
	destroying = "destroying"
	destroyed  = "destroyed"
)

// wireInstance is an instance as a list shows it.
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
}

// wireInstanceDetail is an instance as it is shown alone.
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
}

type wireInterface struct {
	ID  string `json:"id"`
	MAC string `json:"mac-address"`
}

type wireElasticID struct {
	ID string `json:"id"`
	IP string `json:"ip"` // undeclared, but answered by the live service
}

func (a *API) instanceRoutes(register func(string, handler)) {
	register("GET /instance", a.listInstances)
	register("POST /instance", a.createInstance)
	register("GET /instance/{id}", a.getInstance)
	register("PUT /instance/{id}", a.updateInstance)
	register("DELETE /instance/{id}", a.deleteInstance)
	register("DELETE /instance/{id}/labels", a.resetLabels)
	register("PUT /instance/{id}/:start", a.startInstance)
	register("PUT /instance/{id}/:stop", a.stopInstance)
	register("PUT /instance/{id}/:reboot", a.rebootInstance)
	register("PUT /instance/{id}/:reset", a.resetInstance)
	register("PUT /instance/{id}/:scale", a.scaleInstance)
	register("PUT /instance/{id}/:resize-disk", a.resizeDisk)
	register("PUT /instance/{id}/:add-protection", a.protect)
	register("PUT /instance/{id}/:remove-protection", a.protect)
}

func (a *API) listInstances(c *call) (any, error) {
	list := []wireInstance{}
	for _, i := range a.tables.instances.list(c.zone) {
		if address := c.query("ip-address"); address != "" && address != addressText(i.Address) {
			continue
		}
		if c.query("manager-id") != "" || c.query("manager-type") != "" {
			continue // there are no instance pools, so nothing is managed
		}
		list = append(list, a.viewInstance(i))
	}
	return map[string]any{"instances": list}, nil
}

func (a *API) getInstance(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	return wireInstanceDetail{
		wireInstance:  a.viewInstance(i),
		DiskSize:      i.DiskSize,
		DiskEncrypted: true,
		UserData:      i.UserData,
		AntiAffinity:  refs(i.AntiAffinity),
		ElasticIPs:    a.elasticIDs(i.ID),
		Snapshots:     []ref{},
		Volumes:       []ref{},
		TPM:           i.TPM,
		Secureboot:    i.Secureboot,
	}, nil
}

func (a *API) viewInstance(i instance) wireInstance {
	view := wireInstance{
		ID: i.ID, Name: i.Name, State: i.State, CreatedAt: i.Created.Truncate(time.Second),
		Type: ref{i.Type}, Template: ref{i.Template}, Keys: []wireKey{}, Labels: i.Labels,
		PublicIP: addressText(i.Address), Assignment: i.Assignment, MAC: mac(i.Address),
		PrivateNetworks: a.interfaces(i.ID), Groups: refs(i.Groups),
	}
	for _, name := range i.Keys {
		view.Keys = append(view.Keys, wireKey{Name: name})
	}
	if len(view.Keys) > 0 {
		view.Key = &view.Keys[0]
	}
	return view
}

// namedInstance returns the instance that an attachment is about.
func (a *API) namedInstance(c *call) (instance, error) {
	var body struct {
		Instance ref `json:"instance"`
	}
	if err := c.decode(&body); err != nil {
		return instance{}, err
	}
	return a.tables.instances.get(c.zone, body.Instance.ID)
}

// removeInstance lets go of everything that an instance held.
func (a *API) removeInstance(i instance) error {
	for _, ip := range a.tables.elasticIPs.all() {
		if slices.Contains(ip.Instances, i.ID) {
			ip.Instances = without(ip.Instances, i.ID)
			if err := a.tables.elasticIPs.put(ip); err != nil {
				return err
			}
		}
	}
	if err := a.leaveNetworks(i.ID); err != nil {
		return err
	}
	if err := a.tables.reverseRecords.delete(i.ID); err != nil {
		return err
	}
	return a.tables.instances.delete(i.ID)
}
