package compute

import (
	"crypto/rand"
	"encoding/base64"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

const (
	// maxUserData is the limit in base64 characters, not bytes.
	maxUserData = 32768
	// passwordLife is how long a password can be read.
	passwordLife = 24 * time.Hour
	// firstAddress is the base of instances' addresses: public addresses of the simulation are in the range reserved for
	// benchmarks, 198.18.0.0/16 for instances.
	firstAddress = 198<<24 | 18<<16
)

// launcher checks specifications of instances and makes instances of them, for requests and for pools.
type launcher struct {
	store        *resource.Store
	tables       *instance.Tables
	groups       *networking.SecurityGroups
	templates    *Templates
	keys         *resource.Table[sshKey]
	antiAffinity *AntiAffinityGroups
}

// create makes an instance that starts; the caller stores it.
func (l *launcher) create(zone string, body instance.Spec) (instance.Instance, error) {
	head, err := l.store.NewRow(zone)
	if err != nil {
		return instance.Instance{}, err
	}
	i := instance.Instance{
		Row: head, Name: body.Name,
		Type: body.Type.ID, Template: body.Template.ID, DiskSize: body.DiskSize, Labels: body.Labels,
		Keys: body.KeyNames(), Groups: resource.ToIDs(body.Groups), AntiAffinity: resource.ToIDs(body.AntiAffinity),
		Secureboot: body.Secureboot, TPM: body.TPM, Consistent: body.Consistent,
	}
	if body.UserData != nil {
		i.UserData = *body.UserData
	}
	arrival := resource.Running
	if body.AutoStart != nil && !*body.AutoStart {
		arrival = resource.Stopped
	}
	l.tables.Instances.SetTransition(&i, resource.Starting, arrival, resource.SpreadDuration(body.Name, 17*time.Second, 23*time.Second))
	if body.DeployTarget != nil {
		i.Target = body.DeployTarget.ID
	}
	l.assignAddress(&i, body.Assignment)
	l.generatePassword(&i)
	if i.Labels == nil {
		i.Labels = map[string]string{}
	}
	if len(i.Groups) == 0 {
		i.Groups = []string{l.groups.DefaultID()}
	}
	return i, nil
}

func (l *launcher) assignAddress(i *instance.Instance, assignment string) {
	i.Assignment = assignment
	switch {
	case assignment == "none":
		i.Address = netip.Addr{}
	case !i.Address.IsValid():
		i.Address = instance.FindFreeAddress(firstAddress, i.Order, func(address netip.Addr) bool {
			_, taken := l.tables.Instances.Find(func(other instance.Instance) bool { return other.Address == address })
			return taken
		})
	}
}

// generatePassword reports whether the template has a password.
func (l *launcher) generatePassword(i *instance.Instance) (given bool) {
	image, err := l.templates.find(i.Zone, i.Template)
	if err != nil || !image.Wire.PasswordEnabled {
		return false
	}
	i.Password, i.PasswordAt = rand.Text()[:16], l.store.Now()
	return true
}

func checkInstance(body instance.Spec) error {
	return rest.FirstError(
		rest.CheckLength("name", body.Name, 1, 255),
		rest.CheckRange("disk-size", body.DiskSize, 10, instance.MaxDiskSize),
		rest.CheckOneOf("public-ip-assignment", body.Assignment, "inet4", "dual", "none"),
		checkUserData(body.UserData),
		checkUnique("security-groups", body.Groups),
		checkUnique("anti-affinity-groups", body.AntiAffinity),
	)
}

func checkUserData(data *string) error {
	if data == nil {
		return nil
	}
	if err := rest.CheckLength("user-data", *data, 1, maxUserData); err != nil {
		return err
	}
	if _, err := base64.StdEncoding.DecodeString(*data); err != nil {
		return rest.Invalidf("user-data: %v", err)
	}
	return nil
}

func checkUnique(field string, list []resource.Ref) error {
	seen := map[string]bool{}
	for _, item := range list {
		if seen[item.ID] {
			return rest.Invalidf("%s must not name %s twice", field, item.ID)
		}
		seen[item.ID] = true
	}
	return nil
}

// checkParts refuses references to what does not exist in the zone.
func (l *launcher) checkParts(zone string, body instance.Spec) error {
	for _, name := range body.KeyNames() {
		if _, err := l.keys.Get("", name); err != nil {
			return err
		}
	}
	for _, group := range body.Groups {
		if err := l.groups.Check(group.ID); err != nil {
			return err
		}
	}
	return rest.FirstError(
		checkTarget(zone, body.DeployTarget),
		l.checkType(zone, body.Type.ID),
		l.checkDisk(zone, body.Type.ID, body.Template.ID, body.DiskSize),
	)
}

// checkRoom checks the quota and the sizes of the anti-affinity groups.
func (l *launcher) checkRoom(body instance.Spec, more int) error {
	kind, err := l.tables.FindType(body.Type.ID)
	return rest.FirstError(
		err, l.antiAffinity.check(resource.ToIDs(body.AntiAffinity), more), l.store.Quotas.Check("instance", more), l.checkTypeQuota(kind, more),
	)
}

func (l *launcher) checkTypeQuota(kind instance.Type, more int) error {
	return rest.FirstError(
		l.store.Quotas.Check(kind.Family, more*kind.GPUs), l.store.Quotas.Check("cpu", more*kind.CPUs), l.store.Quotas.Check("memory", more*kind.Memory),
	)
}

func (l *launcher) checkType(zone, id string) error {
	kind, err := l.tables.FindType(id)
	if err != nil {
		return err
	}
	return rest.CheckOneOf("instance-type's zone", zone, kind.Zones...)
}

// checkDisk refuses a root disk larger than the type's limit or smaller than the template.
func (l *launcher) checkDisk(zone, typeID, templateID string, size int64) error {
	kind, err := l.tables.FindType(typeID)
	if err != nil {
		return err
	}
	image, err := l.templates.find(zone, templateID)
	if err != nil {
		return err
	}
	if size<<30 < image.Wire.Size {
		return rest.Invalidf("disk-size must be at least the size of the template, %d GiB", (image.Wire.Size+1<<30-1)>>30)
	}
	return rest.CheckRange("disk-size", size, 10, kind.RootDiskLimit())
}
