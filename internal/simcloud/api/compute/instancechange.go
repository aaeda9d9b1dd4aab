package api

import (
	"net/http"
	"slices"
	"time"
)

func (a *API) updateInstance(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	body := instanceRequest{Name: i.Name, Assignment: i.Assignment, Consistent: i.Consistent}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	err = check(
		checkLength("name", body.Name, 1, 255), checkUserData(body.UserData),
		checkOneOf("public-ip-assignment", body.Assignment, "inet4", "dual", "none"),
	)
	if err != nil {
		return nil, err
	}
	i.Name = body.Name
	a.assignAddress(&i, body.Assignment)
	if body.Labels != nil {
		i.Labels = body.Labels
	}
	if body.UserData != nil {
		i.UserData = *body.UserData
	}
	i.Consistent = body.Consistent
	return a.putInstance(i)
}

func (a *API) putInstance(i instance) (any, error) {
	if err := a.tables.instances.put(i); err != nil {
		return nil, err
	}
	return a.startOperation(i.row, "instance")
}

// resetInstanceField: labels are the only field that can be reset.
func (a *API) resetInstanceField(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err := check(err, checkOneOf("field", c.field(), "labels")); err != nil {
		return nil, err
	}
	i.Labels = map[string]string{}
	return a.putInstance(i)
}

func (a *API) deleteInstance(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	switch {
	case err != nil:
		return nil, err
	case i.Protected:
		return nil, newAPIError(http.StatusForbidden, "Instance %s is protected against deletion", i.Name)
	case i.State == destroying:
		return nil, newAPIError(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	}
	return a.startInstanceTransition(i, destroying, destroyed, wireOperation{Reference: newReference("instance", i.ID)})
}

func (a *API) startInstanceTransition(i instance, by, to string, answer wireOperation) (any, error) {
	delay := spreadDuration(i.Name+to, 4*time.Second, 9*time.Second)
	a.setTransition(a.tables.instances.noun, i.row, &i.transition, by, to, delay)
	if err := a.tables.instances.put(i); err != nil {
		return nil, err
	}
	return a.begin(i.Zone, delay, operation{Wire: answer})
}

// startInstance ignores a rescue profile: machines of the simulation boot from their disk all the same.
func (a *API) startInstance(c *call) (any, error) {
	i, err := a.requireState(c, stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	body := struct {
		Profile string `json:"rescue-profile"`
	}{"netboot"}
	if err := check(c.decodeOptional(&body), checkOneOf("rescue-profile", body.Profile, "netboot", "netboot-efi")); err != nil {
		return nil, err
	}
	return a.startInstanceTransition(i, starting, running, wireOperation{Resource: &resource{i.ID, "instance"}})
}

func (a *API) stopInstance(c *call) (any, error) {
	i, err := a.requireState(c, running, "The instance needs to be running.")
	if err != nil {
		return nil, err
	}
	return a.startInstanceTransition(i, stopping, stopped, wireOperation{Resource: &resource{i.ID, "instance"}})
}

func (a *API) rebootInstance(c *call) (any, error) {
	i, err := a.requireState(c, running, "The instance needs to be running.")
	if err != nil {
		return nil, err
	}
	return a.startInstanceTransition(i, starting, running, wireOperation{Reference: newReference("instance", i.ID)})
}

func (a *API) requireState(c *call, state, otherwise string) (instance, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err == nil && i.State != state {
		err = newInvalidError("%s", otherwise)
	}
	return i, err
}

// updateStopped is for changes that require a stopped instance.
func (a *API) updateStopped(c *call, change func(*instance, instanceRequest) error) (any, error) {
	i, err := a.requireState(c, stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	var body instanceRequest
	if err := c.decodeOptional(&body); err != nil {
		return nil, err
	}
	if err := change(&i, body); err != nil {
		return nil, err
	}
	return a.putInstance(i)
}

func (a *API) scaleInstance(c *call) (any, error) {
	return a.updateStopped(c, func(i *instance, body instanceRequest) error {
		before, err := a.findInstanceType(i.Type)
		if err != nil {
			return err
		}
		i.Type = body.Type.ID
		if err := a.checkType(c.zone, i.Type); err != nil {
			return err
		}
		after := a.typeOf[i.Type]
		return check(checkTypeChange(before, after), a.checkTypeQuota(after, 1), checkRange("disk-size", i.DiskSize, 10, after.rootDiskLimit()))
	})
}

// checkTypeChange refuses another family, except among the common ones.
func checkTypeChange(before, after wireType) error {
	common := []string{"standard", "cpu", "memory"}
	if before.Family == after.Family || slices.Contains(common, before.Family) && slices.Contains(common, after.Family) {
		return nil
	}
	return newInvalidError("an instance of type %s can not be scaled to %s", before.name(), after.name())
}

// enableTPM adds a trusted platform module, which cannot be removed.
func (a *API) enableTPM(c *call) (any, error) {
	return a.updateStopped(c, func(i *instance, _ instanceRequest) error {
		i.TPM = true
		return nil
	})
}

// toggleProtection serves both :add-protection and :remove-protection. No response contains the result.
func (a *API) toggleProtection(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	i.Protected = c.action() == "add-protection"
	return a.putInstance(i)
}
