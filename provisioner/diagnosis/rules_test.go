package diagnosis

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/state/recovery"
)

type ailment struct {
	rule   string
	from   float64                        // minute in which its evidence begins
	within float64                        // minutes within which it has to be found
	stops  float64                        // minute from which there is no progress; 0: never
	signs  func(minute float64, s *Input) // from then on
	says   string                         // in the evidence or the fix
	sure   string                         // confidence
}

func ailments() []ailment {
	return slices.Concat(ailmentsOfWays(), ailmentsOfMachines(), ailmentsOfTheCluster(), stalls(), ailmentsOfNodes())
}

func unanswered(s *Input, layer, detail string) {
	s.Snapshot.Probes.API = fails("https://api.c-demo-1.example.net:6443/readyz", layer, detail)
	s.APIError = errors.New("the API does not answer: " + detail)
}

func ailmentsOfWays() []ailment {
	return []ailment{
		{"api-name-missing", 3, 2.2, 0, func(_ float64, s *Input) {
			s.Names[0].Found, s.Names[0].Missing = nil, true
		}, "api.c-demo-1.example.net has no address; it should resolve to 192.0.2.1", High},
		{"api-name-missing", 3, 2.2, 0, func(_ float64, s *Input) {
			s.Names[1].Found = []netip.Addr{netip.MustParseAddr("203.0.113.9")}
		}, "api-int.c-demo-1.example.net resolves to 203.0.113.9 instead of 192.0.2.1", High},
		{"api-name-missing", 3, 2.2, 0, func(_ float64, s *Input) {
			unanswered(s, state.LayerDNS, "the name api.c-demo-1.example.net does not resolve")
		}, "dig api.c-demo-1.example.net", Medium},
		{"load-balancer-blocked", 10, 3.2, 0, func(_ float64, s *Input) {
			unanswered(s, state.LayerTCP, "no answer in time")
		}, "ssh ubuntu@198.51.100.1 sudo journalctl", Medium},
		{"load-balancer-blocked", 5, 3.2, 0, func(_ float64, s *Input) {
			unanswered(s, state.LayerTCP, "no answer in time")
			s.Snapshot.Probes.Direct = state.Probe{}
			s.MissingRules = []string{"port 6443/tcp is blocked: security group c-demo-1_load_balancers lacks the rule for the Kubernetes API"}
		}, "security group c-demo-1_load_balancers lacks the rule", High},
		{"machine-config-blocked", 10, 1.2, 0, func(_ float64, s *Input) {
			s.MissingRules = []string{"port 22623/tcp is blocked: security group c-demo-1_control_plane lacks the rule for the machine config server"}
		}, "no contact: master-0", High},
		{"source-rewritten", 0, 24.5, 15, func(_ float64, s *Input) { s.Spec.LoadBalancer.Internal = state.InternalElasticIP },
			"api-int.c-demo-1.example.net resolves to 192.0.2.1, the elastic IP of the API", Medium},
		{"rules-missing", 10, 5.2, 0, func(_ float64, s *Input) {
			s.MissingRules = []string{"port 2379-2380/tcp is blocked: security group c-demo-1_control_plane lacks the rule for the etcd"}
		}, "2379-2380/tcp", High},
		{"elastic-ip-detached", 10, 1.2, 0, func(_ float64, s *Input) {
			s.Detached = []string{"elastic IP c-demo-1_api, 192.0.2.1, is not attached to lb-0"}
			unanswered(s, state.LayerTCP, "no answer in time")
		}, "is not attached to lb-0", High},
		{"machine-stopped", 10, 1.2, 0, func(_ float64, s *Input) { s.Machines[4].State = "stopped" }, "exo compute instance start --zone ch-gva-2 master-1", High},
		{"address-clash", 0, 1.2, 0, func(_ float64, s *Input) { s.Facts.IngressAddress = "10.131.0.9" },
			"the ingress has 10.131.0.9, which is in the cluster's network of pods, 10.128.0.0/14", High},
		{"address-clash", 0, 1.2, 0, func(_ float64, s *Input) { s.Machines[0].Address = "100.64.7.7" },
			"lb-0 has 100.64.7.7, which is in the cluster's network of joins between nodes", High},
		{"certificate-expired", 9, 1.2, 0, func(_ float64, s *Input) {
			unanswered(s, state.LayerTLS, "TLS: the certificate has expired or is not valid yet; check the clocks")
		}, "openssl x509 -noout -dates", High},
		{"certificate-expired", 9, 1.2, 0, func(_ float64, s *Input) { s.Facts.IgnitionExpires = s.Wall.Add(-time.Hour) },
			"--renew-certificates", High},
		{"foreign-authority", 9, 1.2, 0, func(_ float64, s *Input) {
			unanswered(s, state.LayerTLS, "TLS: the certificate was issued for another cluster or an earlier attempt")
		}, "issued for another cluster", High},
		{"foreign-authority", 0, 1.2, 0, func(_ float64, s *Input) { s.RootCALabels["master-1"] = "0123456789abcdef" },
			"exo compute instance delete --zone ch-gva-2 master-1", High},
		{"routes-unreachable", 41, 2.2, 0, func(_ float64, s *Input) { s.Names[2].Found, s.Names[2].Missing = nil, true },
			"console-openshift-console.apps.c-demo-1.example.net has no address; it should resolve to 192.0.2.2", High},
		{"routes-unreachable", 46, 20, 50, func(float64, *Input) {}, "oc -n openshift-ingress get pods", Medium},
	}
}

func ailmentsOfNodes() []ailment {
	held := HeldPod{Pod: state.Pod{Namespace: "shop", Name: "web-1", Owner: "Deployment/web"}, Node: "worker-1", Reason: "The disruption budget web needs 4 healthy pods and has 4 currently"}
	router := HeldPod{Pod: state.Pod{Namespace: state.RouterNamespace, Name: "router-default-1", Owner: "ReplicaSet/router-default"}, Node: "infra-1", Router: true, Reason: "0 of the 1 other routers are ready"}
	return []ailment{
		{"pdb-blocks", 60, 1.2, 0, func(_ float64, s *Input) { s.Held = []HeldPod{held} },
			"shop/web-1 of Deployment/web on worker-1: The disruption budget web needs 4 healthy pods", High},
		{"drain-kills-router", 60, 1.2, 0, func(_ float64, s *Input) { s.Held = []HeldPod{router} },
			"openshift-ingress/router-default-1 of ReplicaSet/router-default on infra-1: 0 of the 1 other routers are ready", High},
		{"machine-config-lags", 60, 1.2, 0, func(_ float64, s *Input) {
			s.Lagging = []state.ClusterNode{{NodeStatus: state.NodeStatus{Name: "worker-4"}, Config: "rendered-worker-1", DesiredConfig: "rendered-worker-2", ConfigState: "Working"}}
		}, "worker-4 has rendered-worker-1, not rendered-worker-2: its machine config daemon is in the state Working", High},
		{"ceph-degraded", 60, 1.2, 0, func(_ float64, s *Input) {
			s.Ceph = []string{"osd.0 of storage-0 is down", "PG_DEGRADED: 100/9600 objects degraded"}
		},
			"osd.0 of storage-0 is down", High},
		{"upgrade-stuck-operator", 60, 5.2, 0, func(_ float64, s *Input) {
			s.StuckOperators = []StuckOperator{{Name: "monitoring", Message: "json: unknown field", Since: s.Now}}
		}, "oc get clusteroperator monitoring -o yaml", High},
		{"upgrade-pool-degraded", 60, 5.2, 0, func(_ float64, s *Input) {
			s.DegradedPools, s.DegradedNodes = []string{`the machine config pool worker: Node worker-0 is reporting: "failed to update OS"`}, []string{"worker-0"}
		}, "spec.nodeName=worker-0", High},
		{"member-unhealthy", 60, 1.2, 0, func(_ float64, s *Input) { s.Unhealthy = []string{"master-2"} }, "exoshift nodes replace master-2", High},
		{"pool-evicts-wrong", 60, 0.2, 0, func(_ float64, s *Input) {
			s.Evicted = []WrongEviction{{Pool: "c-demo-1_worker", Asked: "worker-ab123-cd456", Lost: []string{"worker-ab123-ef789"}}}
		}, "c-demo-1_worker was asked to evict worker-ab123-cd456, and destroyed worker-ab123-ef789", High},
		{"key-revoked-early", 60, 0.2, 0, func(_ float64, s *Input) {
			s.Revoked = []RevokedKey{{Name: "c-demo-1_ccm-exoscale", Key: "EXOold", Use: "the cloud controller", Secrets: []string{"ccm/credentials"}}}
		}, "the key EXOold, c-demo-1_ccm-exoscale of the cloud controller, does not exist any more; it is in ccm/credentials", High},
		{"backup-unreadable", 60, 0.2, 0, func(_ float64, s *Input) {
			s.Unreadable = []UnreadableBackup{{Name: "20270309T220000Z", Reason: "snapshot.db: its SHA-256 is another one"}}
		}, "20270309T220000Z: snapshot.db: its SHA-256 is another one", High},
		{"quorum-lost", 60, 0.2, 0, func(_ float64, s *Input) {
			s.Members = []recovery.Host{
				{Name: "master-0", Machine: "running", Running: true, Data: true, Index: 7}, {Name: "master-1", Machine: "running"},
				{Name: "master-2", Machine: "stopped", Failure: "its machine is stopped"},
			}
		}, "exoshift recover etcd --from-member master-0 --dry-run", High},
	}
}

func ailmentsOfMachines() []ailment {
	return []ailment{
		{"image-pull-failed", 2, 3.2, 2, func(_ float64, s *Input) {
			s.BootstrapHost = &state.BootstrapHost{Services: []state.ServiceRecord{{Service: "release-image", Starts: 4, Stage: "pull-release-image", Failure: "unauthorized"}}}
		}, "ssh -J ubuntu@198.51.100.1 core@198.51.100.3 sudo podman pull", High},
		{"image-pull-failed", 2, 3.2, 2, func(_ float64, s *Input) {
			s.BootstrapHost = &state.BootstrapHost{Lines: []state.JournalLine{{Unit: "release-image.service", Text: "Error: initializing source docker://quay.io/release: unauthorized"}}}
		}, "unauthorized", High},
		{"wrong-boot-image", 0, 1.2, 0, func(_ float64, s *Input) { s.TemplateBuild = "39.2023" }, "exo compute instance-template delete --zone ch-gva-2 rhcos-9.6-1", High},
		{"no-hostname", 47, 1.2, 0, func(_ float64, s *Input) {
			s.lose("worker-1")
			s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{Name: "csr-1", Node: "localhost.localdomain", State: state.RequestPending, BlockedReason: "unknown"})
		}, "sudo hostnamectl set-hostname worker-1", High},
		{"wrong-node-address", 20, 1.2, 0, func(_ float64, s *Input) { s.Snapshot.Nodes[0].Address = "10.0.0.5" },
			"KUBELET_NODEIP_HINT=198.51.100.4", High},
		{"worker-config-unserved", 30, 20.2, 0, func(_ float64, s *Input) {
			for _, machine := range s.Spec.Nodes() {
				if machine.Role != state.RoleMaster {
					s.lose(machine.Name)
				}
			}
		}, "no contact: infra-0", Medium},
		{"machine-silent", 10, 19, 0, func(minute float64, s *Input) {
			s.lose("master-2")
			s.stop(minute, 20)
		}, "exo compute instance delete --zone ch-gva-2 master-2", Medium},
		{"machine-silent", 10, 48, 0, func(minute float64, s *Input) {
			s.lose("worker-1")
			s.stop(minute, 46)
		}, "exo compute instance delete --zone ch-gva-2 worker-1", Medium},
		{"expired-while-off", 60, 0.2, 0, func(_ float64, s *Input) {
			s.Facts.Installed = at(50)
			s.Snapshot.Nodes[0].Ready = false
			s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{
				Name: "csr-again", Node: s.Snapshot.Nodes[0].Name, State: state.RequestPending, BlockedReason: state.SkippedRegistered, Created: s.Now,
			})
		}, "exoshift repair certificates", High},
		{"requests-left", 42, 3.2, 0, func(_ float64, s *Input) {
			s.refuse("worker-1", true, "it requests the name \"api.c-demo-1.example.net\", which is not the node's")
		}, "oc describe csr csr-worker-1-true", High},
		{"requests-left", 20, 3.2, 0, func(_ float64, s *Input) {
			s.Snapshot.Nodes[0].Ready = false
			s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{
				Name: "csr-again", Node: s.Snapshot.Nodes[0].Name, State: state.RequestPending, BlockedReason: state.SkippedRegistered, Created: s.Now,
			})
		}, "oc delete node master-0", High},
		{"requests-left", 42, 3.2, 0, func(_ float64, s *Input) {
			s.refuse("worker-1", false, "4 keys")
			s.Snapshot.Requests[len(s.Snapshot.Requests)-1].Keys = 4
		}, "--approve-new-key worker-1", High},
	}
}

// lose removes everything that was known of a machine.
func (s *Input) lose(machine string) {
	s.Snapshot.Nodes = slices.DeleteFunc(s.Snapshot.Nodes, func(n state.NodeStatus) bool { return n.Name == machine })
	s.Snapshot.Requests = slices.DeleteFunc(s.Snapshot.Requests, func(r state.NodeRequest) bool { return r.Node == machine })
}

func (s *Input) refuse(node string, serving bool, why string) {
	s.lose(node)
	s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{
		Name: fmt.Sprintf("csr-%s-%t", node, serving), Node: node, Serving: serving, State: state.RequestPending, BlockedReason: why, Created: at(42),
	})
}

// stop freezes everything from a minute on, but for the clock and what was lost before.
func (s *Input) stop(minute, since float64) {
	if minute <= since {
		return
	}
	then := healthy(since)
	lost := map[string]bool{}
	for _, machine := range s.Spec.Nodes() {
		lost[machine.Name] = !slices.ContainsFunc(s.Snapshot.Requests, func(r state.NodeRequest) bool { return r.Node == machine.Name })
	}
	then.Now, then.Wall, then.Spec, then.BootstrapHost = s.Now, s.Wall, s.Spec, s.BootstrapHost
	*s = then
	for name := range lost {
		if lost[name] {
			s.lose(name)
		}
	}
}

func ailmentsOfTheCluster() []ailment {
	return []ailment{
		{"etcd-slow-disk", 22, 1.2, 0, func(_ float64, s *Input) {
			s.Snapshot.Etcd.Degraded = []string{"FSyncControllerDegraded: etcd disk metrics exceeded known tresholds:  fsync duration value: 3.5"}
		}, "fsync duration value: 3.5", High},
		{"machine-config-mismatch", 35, 2.2, 0, func(_ float64, s *Input) {
			s.Snapshot.Pools[0].Degraded = true
			s.Snapshot.Pools[0].Message = `Node master-0 is reporting: "machineconfig.machineconfiguration.openshift.io \"rendered-master-1f\" not found"`
		}, "rendered-master-1f", High},
		{"no-cloud-controller", 17, 6.2, 0, func(_ float64, s *Input) {
			s.Spec.OpenShift.CloudControllerManager = "External"
			for n := range s.Snapshot.Nodes {
				s.Snapshot.Nodes[n].Taints = []state.Taint{{Key: uninitialized, Value: "true", Effect: "NoSchedule"}}
			}
		}, "node master-0 has the taint", High},
		{"no-cloud-controller", 17, 6.2, 0, func(_ float64, s *Input) {
			s.Spec.OpenShift.CloudControllerManager, s.Spec.Syn.LieutenantURL = "External", "https://api.syn.example.net"
			for n := range s.Snapshot.Nodes {
				s.Snapshot.Nodes[n].Taints = []state.Taint{{Key: uninitialized, Value: "true", Effect: "NoSchedule"}}
			}
		}, "oc -n syn-exoscale-cloud-controller-manager get pods", High},
		{"no-cloud-controller", 17, 22, 0, func(_ float64, s *Input) {
			s.Spec.OpenShift.CloudControllerManager = "External"
			s.Snapshot.Nodes[0].Taints = []state.Taint{{Key: uninitialized, Value: "true", Effect: "NoSchedule"}}
		}, "node master-0 has the taint", High},
		{"routers-on-masters", 46, 3.2, 0, func(_ float64, s *Input) {
			s.Snapshot.MastersSchedulable, s.Snapshot.Routers = true, []string{"master-0", "master-1"}
		}, "routers run on master-0, master-1", High},
	}
}

func stalls() []ailment {
	frozen := func(since float64) func(float64, *Input) {
		return func(minute float64, s *Input) { s.stop(minute, since) }
	}
	return []ailment{
		{"slow", 0, 22, 0, func(minute float64, s *Input) { *s = slower(minute, 4) }, "the bootstrap machine runs for", Medium},
		{"bootstrap-silent", 0.5, 15.2, 0, frozen(0.5), "SSH: tcp://198.51.100.3:22 does not answer", Low},
		{"bootstrap-silent", 6, 20, 0, frozen(6), "API: https://198.51.100.3:6443/readyz does not answer", Low},
		{"no-master", 10, 15.5, 0, frozen(15), "no contact: master-0, master-1, master-2", Low},
		{"etcd-incomplete", 20, 20, 0, frozen(22.2), "member master-1: not started", Low},
		{"bootstrap-member-stays", 29, 10.2, 0, func(minute float64, s *Input) {
			s.stop(minute, 29.5)
			s.Snapshot.Etcd.BlockedReason = "master-2 is unhealthy"
		}, "the bootstrap member is kept: master-2 is unhealthy", Medium},
		{"operators-stalled", 58, 30, 0, frozen(60), "monitoring is progressing: Rolling out the stack.", Low},
	}
}

func slower(minute, times float64) Input {
	s := healthy(minute / times)
	s.Now, s.Wall = at(minute), at(minute)
	for phase, began := range s.PhaseTimes {
		s.PhaseTimes[phase] = at(began.Sub(start()).Minutes() * times)
	}
	return s
}

func (a ailment) ail(minute float64) Input {
	s := healthy(minute)
	if a.stops > 0 {
		s.stop(minute, a.stops)
	}
	if minute >= a.from {
		a.signs(minute, &s)
	}
	return s
}

func TestRules_FoundBySigns(t *testing.T) {
	for _, a := range ailments() {
		t.Run(a.rule+": "+a.says, func(t *testing.T) {
			t.Parallel()
			known := rule(t, a.rule)
			timeout := known.getHoldTime(detection{sure: a.sure != known.Confidence})
			examiner := New()
			for minute := 0.0; minute <= a.from+a.within; minute += lookEvery {
				findings := examiner.Evaluate(a.ail(minute))
				if len(findings) == 0 {
					continue
				}
				first := findings[0]
				if first.Rule != a.rule {
					t.Fatalf("minute %.1f: found %s: %s", minute, first.Rule, first.Evidence)
				}
				if began := first.Since.Sub(at(a.from)); began < -time.Second || at(minute).Sub(first.Since) < timeout {
					t.Errorf("found after %s, with a patience of %s", at(minute).Sub(first.Since), timeout)
				}
				text := strings.Join(append(first.Evidence, first.Cause, first.Fix), "\n")
				if (first.Disposition == Wait) != (first.Confidence != High || known.Disposition == Wait) {
					t.Errorf("the run does %s", first.Disposition)
				}
				if first.Disposition == Repair && (first.Restores != known.Restores || len(first.Objects) == 0 || first.Changed != (strings.Contains(text, "resolves to 203.0.113.9") || known.Restores == RouterParts)) {
					t.Errorf("it restores %s, %s, changed: %t", first.Restores, first.Objects, first.Changed)
				}
				if !strings.Contains(text, a.says) || first.Confidence != a.sure {
					t.Errorf("it is of confidence %s, and says\n%s", first.Confidence, text)
				}
				if strings.Contains(first.Cause+first.Fix, "{s") || strings.Contains(first.Fix, "{d") {
					t.Errorf("a placeholder is left: %s", text)
				}
				return
			}
			t.Errorf("not found within %.0f minutes", a.within)
		})
	}
}

func rule(t *testing.T, id string) Rule {
	t.Helper()
	for _, rule := range Rules() {
		if rule.ID == id {
			return rule
		}
	}
	t.Fatalf("there is no rule %s", id)
	return Rule{}
}

func TestRules_AreComplete(t *testing.T) {
	tested := map[string]bool{}
	for _, a := range ailments() {
		tested[a.rule] = true
	}
	ids := map[string]bool{}
	for _, rule := range Rules() {
		if ids[rule.ID] || !tested[rule.ID] {
			t.Errorf("%s: there twice, or never tested", rule.ID)
		}
		ids[rule.ID] = true
		if rankConfidence(rule.Confidence) < 0 || rule.Disposition == "" || (rule.Disposition == Repair) != (rule.Restores != "") || (rule.Disposition == Wait) != (rule.Waits != "") || rule.detect == nil || !strings.HasSuffix(rule.Cause, ".") || len(rule.Fix) < 10 {
			t.Errorf("%s is incomplete", rule.ID)
		}
		for _, explained := range rule.Explains {
			if slices.Contains(ruleOf(explained).Explains, rule.ID) {
				t.Errorf("%s and %s silence each other", rule.ID, explained)
			}
		}
	}
	if len(ids) < 24 {
		t.Errorf("there are %d rules", len(ids))
	}
}

func ruleOf(id string) Rule {
	all := Rules()
	return all[slices.IndexFunc(all, func(r Rule) bool { return r.ID == id })]
}

func TestRules_AreDocumented(t *testing.T) {
	content, err := os.ReadFile("../../docs/reference/diagnosis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range Rules() {
		if row := fmt.Sprintf("| `%s` | %s | %s | %s |", rule.ID, rule.Cause, rule.Confidence, rule.Disposition); !strings.Contains(string(content), row) {
			t.Errorf("docs/reference/diagnosis.md lacks the row\n%s", row)
		}
	}
}
