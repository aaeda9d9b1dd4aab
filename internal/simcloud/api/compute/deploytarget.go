package compute

import (
	"slices"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// deployTarget is a set of hypervisors dedicated to one customer ("dedicated"), or at another site ("edge"). Organizations get
// theirs by contract; every zone of the simulation has one of each kind.
type deployTarget struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
}

func listDeployTargets(zone string) []deployTarget {
	if zone == "" {
		return []deployTarget{}
	}
	return []deployTarget{
		{ID: resource.StableID("deploy-target/" + zone + "/dedicated-1"), Name: "dedicated-1", Type: "dedicated", Description: "Dedicated hypervisors"},
		{ID: resource.StableID("deploy-target/" + zone + "/edge-1"), Name: "edge-1", Type: "edge"},
	}
}

func registerTargetRoutes(register rest.Register) {
	register("GET /deploy-target", func(req *rest.Request) (any, error) {
		return map[string]any{"deploy-targets": listDeployTargets(req.Zone)}, nil
	})
	register("GET /deploy-target/{id}", func(req *rest.Request) (any, error) { return findTarget(req.Zone, req.ID()) })
}

func findTarget(zone, id string) (deployTarget, error) {
	all := listDeployTargets(zone)
	if i := slices.IndexFunc(all, func(t deployTarget) bool { return t.ID == id }); i >= 0 {
		return all[i], nil
	}
	return deployTarget{}, rest.NotFound("deploy-target", id)
}

// checkTarget accepts nil.
func checkTarget(zone string, target *resource.Ref) error {
	if target == nil {
		return nil
	}
	_, err := findTarget(zone, target.ID)
	return err
}
