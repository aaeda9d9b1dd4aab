package compute

import (
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/simcloud/api/storage"
)

// Instances are the virtual machines of all zones.
type Instances struct {
	store      *resource.Store
	tables     *instance.Tables
	launcher   *launcher
	networking *networking.Networking
	volumes    *storage.Volumes
	snapshots  *Snapshots
	pools      *Pools

	machines        []Machine
	machinesChanges int                        // of the table, when machines was computed
	userData        map[string]decodedUserData // by instance
}

// registerRoutes adds the routes of instances.
func (s *Instances) registerRoutes(register rest.Register) {
	register("GET /instance", s.list)
	register("POST /instance", s.create)
	register("GET /instance/{id}", s.get)
	register("PUT /instance/{id}", s.update)
	register("DELETE /instance/{id}", s.delete)
	register("DELETE /instance/{id}/{field}", s.resetField)
	register("PUT /instance/{id}/:start", s.start)
	register("PUT /instance/{id}/:stop", s.stop)
	register("PUT /instance/{id}/:reboot", s.reboot)
	register("PUT /instance/{id}/:reset", s.reset)
	register("PUT /instance/{id}/:scale", s.scale)
	register("PUT /instance/{id}/:resize-disk", s.resizeDisk)
	register("PUT /instance/{id}/:add-protection", s.toggleProtection)
	register("PUT /instance/{id}/:remove-protection", s.toggleProtection)
	register("POST /instance/{id}/:enable-tpm", s.enableTPM)
	register("GET /instance/{id}/:password", s.getPassword)
	register("PUT /instance/{id}/:reset-password", s.resetPassword)
	register("GET /console/{id}", s.getConsole)
}

func (s *Instances) create(req *rest.Request) (any, error) {
	body := instance.Spec{Assignment: "inet4"}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if req.Zone == "" {
		return nil, rest.NotFound("zone", req.Host)
	}
	if err := rest.FirstError(checkInstance(body), s.launcher.checkParts(req.Zone, body), s.launcher.checkRoom(body, 1)); err != nil {
		return nil, err
	}
	i, err := s.launcher.create(req.Zone, body)
	if err != nil {
		return nil, err
	}
	if err := s.tables.Instances.Put(i); err != nil {
		return nil, err
	}
	reference := resource.WireOperation{Reference: resource.NewReference("instance", i.ID)}
	return s.store.Begin(i.Zone, i.NextAt.Sub(i.Created), resource.Operation{Wire: reference})
}

// destroy detaches everything from the deleted instance.
func (s *Instances) destroy(i instance.Instance) error {
	delete(s.userData, i.ID)
	err := rest.FirstError(s.networking.Detach(i.ID), s.volumes.Detach(i.ID), s.tables.Instances.Delete(i.ID))
	if err != nil || i.Pool == "" {
		return err
	}
	return s.pools.replaceLost(i.Pool)
}

func (s *Instances) delete(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	switch {
	case err != nil:
		return nil, err
	case i.Protected:
		return nil, rest.Errorf(http.StatusForbidden, "Instance %s is protected against deletion", i.Name)
	case i.State == resource.Destroying:
		return nil, rest.Errorf(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	}
	return s.startTransition(i, resource.Destroying, resource.Destroyed, resource.WireOperation{Reference: resource.NewReference("instance", i.ID)})
}

func (s *Instances) startTransition(i instance.Instance, by, to string, answer resource.WireOperation) (any, error) {
	delay := resource.SpreadDuration(i.Name+to, 4*time.Second, 9*time.Second)
	return s.tables.Instances.StartAs(i, by, to, delay, answer)
}

// start ignores a rescue profile: machines of the simulation boot from their disk all the same.
func (s *Instances) start(req *rest.Request) (any, error) {
	i, err := s.tables.FindInState(req, resource.Stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	body := struct {
		Profile string `json:"rescue-profile"`
	}{"netboot"}
	if err := rest.FirstError(req.DecodeOptional(&body), rest.CheckOneOf("rescue-profile", body.Profile, "netboot", "netboot-efi")); err != nil {
		return nil, err
	}
	return s.startTransition(i, resource.Starting, resource.Running, resource.WireOperation{Resource: &resource.Affected{ID: i.ID, Type: "instance"}})
}

func (s *Instances) stop(req *rest.Request) (any, error) {
	i, err := s.tables.FindInState(req, resource.Running, "The instance needs to be running.")
	if err != nil {
		return nil, err
	}
	return s.startTransition(i, resource.Stopping, resource.Stopped, resource.WireOperation{Resource: &resource.Affected{ID: i.ID, Type: "instance"}})
}

func (s *Instances) reboot(req *rest.Request) (any, error) {
	i, err := s.tables.FindInState(req, resource.Running, "The instance needs to be running.")
	if err != nil {
		return nil, err
	}
	return s.startTransition(i, resource.Starting, resource.Running, resource.WireOperation{Reference: resource.NewReference("instance", i.ID)})
}

// Stop begins to stop the running instances whose names begin with prefix and that were created at least age ago, and returns
// their number.
func (s *Instances) Stop(prefix string, age time.Duration) int {
	stopped := 0
	for _, i := range s.tables.Instances.All() {
		if s.store.Now().Sub(i.Created) >= age && strings.HasPrefix(i.Name, prefix) && s.PowerOff(i.ID) {
			stopped++
		}
	}
	return stopped
}

// PowerOff stops an instance that its own operating system shuts down, which is not an operation. It returns false if it is not
// running.
func (s *Instances) PowerOff(id string) bool {
	i, found := s.tables.Instances.Lookup(id)
	if !found || i.State != resource.Running {
		return false
	}
	s.tables.Instances.SetTransition(&i, resource.Stopping, resource.Stopped, resource.Duration(i.Name))
	_ = s.tables.Instances.Put(i) // an error of the store is returned to the next request
	return true
}
