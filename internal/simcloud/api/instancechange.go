package api

import (
	"net/http"
	"strings"
	"time"
)

func (a *API) updateInstance(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	body := instanceRequest{Name: i.Name}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := check(checkLength("name", body.Name, 1, 255), checkUserData(body.UserData)); err != nil {
		return nil, err
	}
	i.Name = body.Name
	if body.Labels != nil {
		i.Labels = body.Labels
	}
	if body.UserData != nil {
		i.UserData = *body.UserData
	}
	return a.putInstance(i)
}

func (a *API) putInstance(i instance) (any, error) {
	if err := a.tables.instances.put(i); err != nil {
		return nil, err
	}
	return a.mutated(i.row, "instance")
}

func (a *API) resetLabels(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
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
		return nil, refuse(http.StatusForbidden, "Instance %s is protected against deletion", i.Name)
	case i.State == destroying:
		return nil, refuse(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	}
	return a.travel(i, destroying, destroyed, wireOperation{Reference: refer("instance", i.ID)})
}

// travel sends an instance on the way to another state.
func (a *API) travel(i instance, by, to string, answer wireOperation) (any, error) {
	delay := spread(i.Name+to, 4*time.Second, 9*time.Second)
	i.State, i.Next, i.NextAt = by, to, a.now().Add(delay)
	if err := a.tables.instances.put(i); err != nil {
		return nil, err
	}
	a.schedule(i.NextAt)
	return a.begin(i.Zone, delay, operation{Wire: answer})
}

func (a *API) startInstance(c *call) (any, error) {
	i, err := a.inState(c, stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	return a.travel(i, starting, running, wireOperation{Resource: &resource{i.ID, "instance"}})
}

func (a *API) stopInstance(c *call) (any, error) {
	i, err := a.inState(c, running, "The instance needs to be running.")
	if err != nil {
		return nil, err
	}
	return a.travel(i, stopping, stopped, wireOperation{Resource: &resource{i.ID, "instance"}})
}

func (a *API) rebootInstance(c *call) (any, error) {
	i, err := a.inState(c, running, "The instance needs to be running.")
	if err != nil {
		return nil, err
	}
	return a.travel(i, starting, running, wireOperation{Reference: refer("instance", i.ID)})
}

func (a *API) inState(c *call, state, otherwise string) (instance, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err == nil && i.State != state {
		err = invalid("%s", otherwise)
	}
	return i, err
}

// stoppedChange serves the changes that need the instance stopped.
func (a *API) stoppedChange(c *call, change func(*instance, instanceRequest) error) (any, error) {
	i, err := a.inState(c, stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	var body instanceRequest
	if len(strings.TrimSpace(string(c.body))) > 0 {
		if err := c.decode(&body); err != nil {
			return nil, err
		}
	}
	if err := change(&i, body); err != nil {
		return nil, err
	}
	return a.putInstance(i)
}

func (a *API) resetInstance(c *call) (any, error) {
	return a.stoppedChange(c, func(i *instance, body instanceRequest) error {
		if body.Template.ID != "" {
			i.Template = body.Template.ID
		}
		if body.DiskSize != 0 {
			i.DiskSize = body.DiskSize
		}
		_, err := a.findTemplate(c.zone, i.Template)
		return check(err, checkRange("disk-size", i.DiskSize, 10, 51200))
	})
}

func (a *API) scaleInstance(c *call) (any, error) {
	return a.stoppedChange(c, func(i *instance, body instanceRequest) error {
		i.Type = body.Type.ID
		return a.checkType(c.zone, i.Type)
	})
}

func (a *API) resizeDisk(c *call) (any, error) {
	return a.stoppedChange(c, func(i *instance, body instanceRequest) error {
		if body.DiskSize <= i.DiskSize {
			return invalid("disk-size must be greater than %d: a disk can not shrink", i.DiskSize)
		}
		i.DiskSize = body.DiskSize
		return checkRange("disk-size", i.DiskSize, 10, 51200)
	})
}

// protect serves both :add-protection and :remove-protection. Nothing shows the result.
func (a *API) protect(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	i.Protected = c.action() == "add-protection"
	return a.putInstance(i)
}
