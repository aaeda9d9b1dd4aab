package compute

import (
	"net/http"
	"net/url"
	"slices"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

func (s *Instances) update(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	body := instance.Spec{Name: i.Name, Assignment: i.Assignment, Consistent: i.Consistent}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	err = rest.FirstError(
		rest.CheckLength("name", body.Name, 1, 255), checkUserData(body.UserData),
		rest.CheckOneOf("public-ip-assignment", body.Assignment, "inet4", "dual", "none"),
	)
	if err != nil {
		return nil, err
	}
	i.Name = body.Name
	s.launcher.assignAddress(&i, body.Assignment)
	if body.Labels != nil {
		i.Labels = body.Labels
	}
	if body.UserData != nil {
		i.UserData = *body.UserData
	}
	i.Consistent = body.Consistent
	return s.tables.Instances.Save(i)
}

// resetField: labels are the only field that can be reset.
func (s *Instances) resetField(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err := rest.FirstError(err, rest.CheckOneOf("field", req.Field(), "labels")); err != nil {
		return nil, err
	}
	i.Labels = map[string]string{}
	return s.tables.Instances.Save(i)
}

// updateStopped is for changes that require a stopped instance.
func (s *Instances) updateStopped(req *rest.Request, change func(*instance.Instance, instance.Spec) error) (any, error) {
	i, err := s.tables.FindInState(req, resource.Stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	var body instance.Spec
	if err := req.DecodeOptional(&body); err != nil {
		return nil, err
	}
	if err := change(&i, body); err != nil {
		return nil, err
	}
	return s.tables.Instances.Save(i)
}

func (s *Instances) scale(req *rest.Request) (any, error) {
	return s.updateStopped(req, func(i *instance.Instance, body instance.Spec) error {
		before, err := s.tables.FindType(i.Type)
		if err != nil {
			return err
		}
		i.Type = body.Type.ID
		if err := s.launcher.checkType(req.Zone, i.Type); err != nil {
			return err
		}
		after, err := s.tables.FindType(i.Type)
		return rest.FirstError(err, checkTypeChange(before, after), s.launcher.checkTypeQuota(after, 1), rest.CheckRange("disk-size", i.DiskSize, 10, after.RootDiskLimit()))
	})
}

// checkTypeChange refuses another family, except among the common ones.
func checkTypeChange(before, after instance.Type) error {
	common := []string{"standard", "cpu", "memory"}
	if before.Family == after.Family || slices.Contains(common, before.Family) && slices.Contains(common, after.Family) {
		return nil
	}
	return rest.Invalidf("an instance of type %s can not be scaled to %s", before.Name(), after.Name())
}

// enableTPM adds a trusted platform module, which cannot be removed.
func (s *Instances) enableTPM(req *rest.Request) (any, error) {
	return s.updateStopped(req, func(i *instance.Instance, _ instance.Spec) error {
		i.TPM = true
		return nil
	})
}

// toggleProtection serves both :add-protection and :remove-protection. No response contains the result.
func (s *Instances) toggleProtection(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	i.Protected = req.Action() == "add-protection"
	return s.tables.Instances.Save(i)
}

func (s *Instances) reset(req *rest.Request) (any, error) {
	return s.updateStopped(req, func(i *instance.Instance, body instance.Spec) error {
		if body.Template.ID != "" {
			i.Template = body.Template.ID
		}
		if body.DiskSize != 0 {
			i.DiskSize = body.DiskSize
		}
		return s.launcher.checkDisk(req.Zone, i.Type, i.Template, i.DiskSize)
	})
}

func (s *Instances) resizeDisk(req *rest.Request) (any, error) {
	return s.updateStopped(req, func(i *instance.Instance, body instance.Spec) error {
		if body.DiskSize <= i.DiskSize {
			return rest.Invalidf("disk-size must be greater than %d: a disk can not shrink", i.DiskSize)
		}
		i.DiskSize = body.DiskSize
		kind, err := s.tables.FindType(i.Type)
		return rest.FirstError(err, rest.CheckRange("disk-size", i.DiskSize, 10, kind.RootDiskLimit()))
	})
}
func (s *Instances) getPassword(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if i.Password == "" || s.store.Now().Sub(i.PasswordAt) > passwordLife {
		return nil, rest.Errorf(http.StatusNotFound, "Password of instance %s not found", i.Name)
	}
	return map[string]string{"password": i.Password}, nil
}

func (s *Instances) resetPassword(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if !s.launcher.generatePassword(&i) {
		return nil, rest.Invalidf("The template of instance %s is not enabled for passwords", i.Name)
	}
	return s.tables.Instances.Save(i)
}

// getConsole returns a URL that nothing serves in the simulation.
func (s *Instances) getConsole(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	place := url.URL{Scheme: "wss", Host: "console-" + i.Zone + ".exoscale.com", Path: "/" + i.ID}
	return map[string]string{"url": place.String(), "host": place.Host, "path": place.Path}, nil
}
