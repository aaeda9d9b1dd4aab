package destroy_test

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"exoshift/assets"
	"exoshift/state"
)

type body = map[string]any

func ref(id string) body { return body{"id": id} }

// cast creates a cluster, and objects of the same kinds that only resemble it.
func (s *scene) cast() {
	s.t.Helper()
	s.foreign()
	s.cluster()
}

func (s *scene) cluster() {
	s.t.Helper()
	ctx := s.t.Context()
	s.registerKey("c-demo-1-admin", "AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V")
	groups := s.groups("c-demo-1_infra", "c-demo-1_worker")
	affinity, _, err := s.EnsureAntiAffinityGroup(ctx, "c-demo-1_master", "masters")
	s.must(err)
	ours := map[string]string{"exoshift-cluster": "c-demo-1"}
	master := s.machine(state.Instance{Name: "master-0", Labels: ours, SecurityGroups: groups, AntiAffinityGroups: []string{affinity}, Protected: true})
	s.machine(state.Instance{Name: "worker-0", Labels: ours, SecurityGroups: groups})
	ip, _, err := s.EnsureElasticIP(ctx, state.ElasticIP{Name: "c-demo-1_api", Labels: ours, ReverseDNS: "api.c-demo-1.example.net"})
	s.must(err)
	_, err = s.EnsureAttached(ctx, ip.ID, master.ID)
	s.must(err)
	zone, _, err := s.EnsureZone(ctx, "c-demo-1.example.net")
	s.must(err)
	_, err = s.EnsureRecord(ctx, zone.ID, state.Record{Name: "api", Type: "A", Content: ip.Address, TTL: 60})
	s.must(err)
	s.role("c-demo-1_" + assets.PolicyVolumes)
	s.bucketOf("c-demo-1", "c-demo-1-logstore")
	s.bucketOf("c-demo-1", "c-demo-1-cluster-backup")

	pool := s.pool("workers", ours, master)
	s.balancerFor("web", pool)
	s.balancerFor("api", "")
	s.volumeFor("logs", "")
	volume := s.volumeFor("data", master.ID)
	s.raw(http.MethodPost, "/block-storage/"+volume+":create-snapshot", body{"name": "snap"})
	s.raw(http.MethodPost, "/instance/"+master.ID+":create-snapshot", nil)
}

func (s *scene) balancerFor(service, pool string) string {
	s.t.Helper()
	claim := state.Claim{Kind: state.KindLoadBalancer, By: "service shop/" + service, Name: "k8s-" + uuid.NewString(), Since: time.Now()}
	claim.ID = s.balancer(claim.Name, pool)
	s.told = append(s.told, claim)
	return claim.ID
}

func (s *scene) volumeFor(what, instance string) string {
	s.t.Helper()
	claim := state.Claim{Kind: state.KindVolume, By: "persistent volume " + what, Name: "pvc-" + uuid.NewString(), Since: time.Now()}
	claim.ID = s.volume(claim.Name, instance)
	s.told = append(s.told, claim)
	return claim.ID
}

// foreign creates objects that must not be deleted.
func (s *scene) foreign() {
	s.t.Helper()
	ctx := s.t.Context()
	other := map[string]string{"exoshift-cluster": "c-demo-10"}
	groups := s.groups("c-demo-10_infra", "c-demo-1_team-blue")
	twin := s.machine(state.Instance{Name: "master-0", Labels: other, SecurityGroups: groups[:1]})
	unlabelled := s.machine(state.Instance{Name: "worker-0", SecurityGroups: groups[1:]})
	_, _, err := s.EnsureElasticIP(ctx, state.ElasticIP{Name: "c-demo-10_api", Labels: other})
	s.must(err)
	_, _, err = s.EnsureZone(ctx, "c-demo-10.example.net")
	s.must(err)
	_, _, err = s.EnsureAntiAffinityGroup(ctx, "c-demo-10_master", "masters")
	s.must(err)
	s.role("c-demo-10_" + assets.PolicyVolumes)
	s.bucket("c-demo-1-invoices")
	s.registerKey("operator", "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl")
	s.balancer("shop", s.pool("shop", nil, twin))
	s.volume("data", unlabelled.ID)
	s.volume("archive", "")
}

func (s *scene) groups(first, second string) []string {
	s.t.Helper()
	var ids []string
	for range 2 { // at first the other one does not exist
		ids = nil
		for _, pair := range [][2]string{{first, second}, {second, first}} {
			group := state.SecurityGroup{Name: pair[0]}
			if len(s.named(state.KindSecurityGroup, pair[1])) > 0 {
				group.Rules = []state.Rule{{Protocol: "tcp", From: 22, To: 22, Group: pair[1]}}
			}
			id, _, err := s.EnsureSecurityGroup(s.t.Context(), group)
			s.must(err)
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *scene) named(kind, name string) []state.Object {
	s.t.Helper()
	all, err := s.ListObjects(s.t.Context())
	s.must(err)
	var found []state.Object
	for _, o := range all {
		if o.Kind == kind && o.Name == name {
			found = append(found, o)
		}
	}
	return found
}

func (s *scene) machine(wanted state.Instance) state.Instance {
	s.t.Helper()
	template, err := s.FindPublicTemplate(s.t.Context(), "Linux Ubuntu 24.04 LTS 64-bit")
	s.must(err)
	wanted.Type, wanted.TemplateID, wanted.DiskGiB = "standard.medium", template.ID, 20
	made, _, err := s.EnsureInstance(s.t.Context(), wanted)
	s.must(err)
	return made
}

func (s *scene) role(name string) {
	s.t.Helper()
	role, _, err := s.EnsureRole(s.t.Context(), state.IAMRole{Name: name, Policy: state.IAMPolicy{DefaultServiceStrategy: "deny"}})
	s.must(err)
	_, err = s.EnsureAPIKey(s.t.Context(), state.APIKey{Name: name, RoleID: role.ID}, func(state.APIKey) error { return nil })
	s.must(err)
}

// registerKey registers an SSH key, as earlier versions did.
func (s *scene) registerKey(name, key string) {
	s.t.Helper()
	s.raw(http.MethodPost, "/ssh-key", body{"name": name, "public-key": "ssh-ed25519 " + key})
}

func (s *scene) bucket(name string) { s.bucketOf("", name) }

func (s *scene) bucketOf(owner, name string) {
	s.t.Helper()
	_, err := s.storage.WithOwner(owner).EnsureBucket(s.t.Context(), name)
	s.must(err)
	_, err = s.storage.EnsureObject(s.t.Context(), name, "some/thing", []byte("content"))
	s.must(err)
}

func (s *scene) pool(name string, labels map[string]string, like state.Instance) string {
	s.t.Helper()
	var live struct {
		Type     body `json:"instance-type"`
		Template body `json:"template"`
	}
	s.ask(http.MethodGet, "/instance/"+like.ID, nil, &live)
	wanted := body{"name": name, "size": 1, "instance-type": ref(live.Type["id"].(string)), "template": ref(live.Template["id"].(string)), "disk-size": 20}
	if labels != nil {
		wanted["labels"] = labels
	}
	return s.raw(http.MethodPost, "/instance-pool", wanted)
}

func (s *scene) balancer(name, pool string) string {
	s.t.Helper()
	id := s.raw(http.MethodPost, "/load-balancer", body{"name": name})
	if pool != "" {
		s.raw(http.MethodPost, "/load-balancer/"+id+"/service", body{
			"name": "web", "instance-pool": ref(pool), "protocol": "tcp", "strategy": "round-robin", "port": 80, "target-port": 80,
			"healthcheck": body{"mode": "tcp", "port": 80, "interval": 10, "timeout": 2, "retries": 1},
		})
	}
	return id
}

func (s *scene) volume(name, instance string) string {
	s.t.Helper()
	id := s.raw(http.MethodPost, "/block-storage", body{"name": name, "size": 10})
	if instance != "" {
		s.raw(http.MethodPut, "/block-storage/"+id+":attach", body{"instance": ref(instance)})
	}
	return id
}
