package api

import (
	"net/netip"
	"slices"
	"time"
)

type instance struct {
	row
	transition
	Name         string
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
	Consistent   bool // application-consistent snapshots
	Protected    bool
	Target       string // the deploy target, or ""
	Pool         string // the instance pool that manages it, or ""
	Password     string // of templates that have one
	PasswordAt   time.Time
}

// The states of an instance that the simulation knows.
const (
	starting   = "starting"
	running    = "running"
	stopping   = "stopping"
	stopped    = "stopped"
	destroying = "destroying"
)

func (a *API) registerInstanceRoutes(register func(string, handler)) {
	register("GET /instance", a.listInstances)
	register("POST /instance", a.createInstance)
	register("GET /instance/{id}", a.getInstance)
	register("PUT /instance/{id}", a.updateInstance)
	register("DELETE /instance/{id}", a.deleteInstance)
	register("DELETE /instance/{id}/{field}", a.resetInstanceField)
	register("PUT /instance/{id}/:start", a.startInstance)
	register("PUT /instance/{id}/:stop", a.stopInstance)
	register("PUT /instance/{id}/:reboot", a.rebootInstance)
	register("PUT /instance/{id}/:reset", a.resetInstance)
	register("PUT /instance/{id}/:scale", a.scaleInstance)
	register("PUT /instance/{id}/:resize-disk", a.resizeDisk)
	register("PUT /instance/{id}/:add-protection", a.toggleProtection)
	register("PUT /instance/{id}/:remove-protection", a.toggleProtection)
	register("POST /instance/{id}/:enable-tpm", a.enableTPM)
	register("GET /instance/{id}/:password", a.showPassword)
	register("PUT /instance/{id}/:reset-password", a.resetPassword)
	register("POST /instance/{id}/:create-snapshot", a.createSnapshot)
	register("POST /instance/{id}/:revert-snapshot", a.revertToSnapshot)
	register("GET /console/{id}", a.getConsole)
}

func (a *API) findAttachedInstance(c *call) (instance, error) {
	var body struct {
		Instance ref `json:"instance"`
	}
	if err := c.decode(&body); err != nil {
		return instance{}, err
	}
	return a.tables.instances.get(c.zone, body.Instance.ID)
}

// removeInstance detaches everything from the deleted instance.
func (a *API) removeInstance(i instance) error {
	for _, ip := range a.tables.elasticIPs.listAll() {
		if slices.Contains(ip.Instances, i.ID) {
			ip.Instances = removeItem(ip.Instances, i.ID)
			if err := a.tables.elasticIPs.put(ip); err != nil {
				return err
			}
		}
	}
	if err := a.detachNetworks(i.ID); err != nil {
		return err
	}
	delete(a.decodedUserData, i.ID)
	err := check(
		a.detachVolumes(i.ID), a.tables.reverseRecords.delete(i.ID), a.tables.instances.delete(i.ID),
	)
	if err != nil || i.Pool == "" {
		return err
	}
	return a.replaceLostMembers(i.Pool)
}
