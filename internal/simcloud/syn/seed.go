package syn

import "time"

// createInitial creates the initial state: two tenants, and a cluster of the second.
func (s *Syn) createInitial() error {
	if len(s.tenants.List()) > 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	long := s.now().Add(-400 * 24 * time.Hour)
	const old = "c-old-mill-1234"
	_, err := s.operator.prepare(cluster{
		ID: old, Tenant: "t-other-hill-0815", DisplayName: "Mill", Annotations: map[string]string{}, Created: long,
		Facts: map[string]string{
			"distribution": "openshift4", "cloud": "exoscale", "region": "ch-dk-2", instanceFact: instanceName,
			"service_level": "guaranteed-availability", "release_channel": "stable", "maintenance_window": "tuesday-1000",
		},
		Dynamic: map[string]any{
			"kubernetesVersion": map[string]any{"major": "1", "minor": "33", "gitVersion": "v1.33.5"},
			"openshiftVersion":  map[string]any{"Major": "4", "Minor": "20", "Patch": "5"},
		},
		Deploy: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDG9a5WwLuwcxMRydNqI4ofuzXucrBKpGOvPV9PO4guj",
	})
	if err != nil {
		return err
	}
	for id, name := range map[string]string{"t-quiet-harbour-4711": "Harbour Ltd", "t-other-hill-0815": "Hill & Sons"} {
		t := tenant{
			ID: id, DisplayName: name, Annotations: map[string]string{protectedDelete: "true"},
			URL: gitBase + "syn/tenants/" + id + ".git", Type: autoRepo, Created: long,
			GlobalURL: gitBase + "syn/commodore-defaults.git",
		}
		if err := s.tenants.Put(id, t); err != nil {
			return err
		}
	}
	return nil
}
