package api

import (
	"encoding/base64"
	"time"
)

// maxUserData is the limit in base64 characters, not bytes.
const maxUserData = 32768

type instanceRequest struct {
	Name         string            `json:"name"`
	Type         ref               `json:"instance-type"`
	Template     ref               `json:"template"`
	DiskSize     int64             `json:"disk-size"`
	UserData     *string           `json:"user-data"`
	Key          *wireKey          `json:"ssh-key"`
	Keys         []wireKey         `json:"ssh-keys"`
	Labels       map[string]string `json:"labels"`
	Assignment   string            `json:"public-ip-assignment"`
	Groups       []ref             `json:"security-groups"`
	AntiAffinity []ref             `json:"anti-affinity-groups"`
	DeployTarget *ref              `json:"deploy-target"`
	AutoStart    *bool             `json:"auto-start"`
	Secureboot   bool              `json:"secureboot-enabled"`
	TPM          bool              `json:"tpm-enabled"`
	Consistent   bool              `json:"application-consistent-snapshot-enabled"`
}

func (a *API) createInstance(c *call) (any, error) {
	body := instanceRequest{Assignment: "inet4"}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if c.zone == "" {
		return nil, newNotFound("zone", c.request.Host)
	}
	if err := check(checkInstance(body), a.checkParts(c.zone, body), a.checkRoom(body, 1)); err != nil {
		return nil, err
	}
	i, err := a.newInstance(c.zone, body)
	if err != nil {
		return nil, err
	}
	if err := a.tables.instances.put(i); err != nil {
		return nil, err
	}
	reference := wireOperation{Reference: newReference("instance", i.ID)}
	return a.begin(i.Zone, i.NextAt.Sub(i.Created), operation{Wire: reference})
}

func (a *API) newInstance(zone string, body instanceRequest) (instance, error) {
	head, err := a.newRow(zone)
	if err != nil {
		return instance{}, err
	}
	i := instance{
		row: head, Name: body.Name,
		Type: body.Type.ID, Template: body.Template.ID, DiskSize: body.DiskSize, Labels: body.Labels,
		Keys: collectKeyNames(body), Groups: toIDs(body.Groups), AntiAffinity: toIDs(body.AntiAffinity),
		Secureboot: body.Secureboot, TPM: body.TPM, Consistent: body.Consistent,
	}
	if body.UserData != nil {
		i.UserData = *body.UserData
	}
	arrival := running
	if body.AutoStart != nil && !*body.AutoStart {
		arrival = stopped
	}
	a.setTransition(a.tables.instances.noun, head, &i.transition, starting, arrival, spreadDuration(body.Name, 17*time.Second, 23*time.Second))
	if body.DeployTarget != nil {
		i.Target = body.DeployTarget.ID
	}
	a.assignAddress(&i, body.Assignment)
	a.generatePassword(&i)
	if i.Labels == nil {
		i.Labels = map[string]string{}
	}
	if len(i.Groups) == 0 {
		group, _ := a.tables.groups.find(isDefault)
		i.Groups = []string{group.ID}
	}
	return i, nil
}

func collectKeyNames(body instanceRequest) []string {
	var names []string
	if body.Key != nil {
		names = append(names, body.Key.Name)
	}
	for _, key := range body.Keys {
		names = append(removeItem(names, key.Name), key.Name)
	}
	return names
}

func checkInstance(body instanceRequest) error {
	return check(
		checkLength("name", body.Name, 1, 255),
		checkRange("disk-size", body.DiskSize, 10, maxDiskSize),
		checkOneOf("public-ip-assignment", body.Assignment, "inet4", "dual", "none"),
		checkUserData(body.UserData),
		checkUnique("security-groups", body.Groups),
		checkUnique("anti-affinity-groups", body.AntiAffinity),
	)
}

func checkUserData(data *string) error {
	if data == nil {
		return nil
	}
	if err := checkLength("user-data", *data, 1, maxUserData); err != nil {
		return err
	}
	if _, err := base64.StdEncoding.DecodeString(*data); err != nil {
		return newInvalidError("user-data: %v", err)
	}
	return nil
}

func checkUnique(field string, list []ref) error {
	seen := map[string]bool{}
	for _, item := range list {
		if seen[item.ID] {
			return newInvalidError("%s must not name %s twice", field, item.ID)
		}
		seen[item.ID] = true
	}
	return nil
}

// checkParts refuses references to what does not exist in the zone.
func (a *API) checkParts(zone string, body instanceRequest) error {
	for _, name := range collectKeyNames(body) {
		if _, err := a.tables.keys.get("", name); err != nil {
			return err
		}
	}
	for _, group := range body.Groups {
		if _, err := a.tables.groups.get("", group.ID); err != nil {
			return err
		}
	}
	return check(
		checkTarget(zone, body.DeployTarget),
		a.checkType(zone, body.Type.ID),
		a.checkDisk(zone, body.Type.ID, body.Template.ID, body.DiskSize),
	)
}

// checkRoom checks the quota and the sizes of the anti-affinity groups.
func (a *API) checkRoom(body instanceRequest, more int) error {
	kind, err := a.findInstanceType(body.Type.ID)
	return check(
		err, a.checkAntiAffinity(toIDs(body.AntiAffinity), more), a.checkQuota("instance", more), a.checkTypeQuota(kind, more),
	)
}

func (a *API) checkTypeQuota(kind wireType, more int) error {
	return check(
		a.checkQuota(kind.Family, more*kind.GPUs), a.checkQuota("cpu", more*kind.CPUs), a.checkQuota("memory", more*kind.Memory),
	)
}

func (a *API) checkType(zone, id string) error {
	kind, err := a.findInstanceType(id)
	if err != nil {
		return err
	}
	return checkOneOf("instance-type's zone", zone, kind.Zones...)
}
