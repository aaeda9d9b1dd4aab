package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/volumes"
	"exoshift/internal/simcloud/scenario"
)

func TestCeph_ReplacedOSDKeepsData(t *testing.T) {
	inLab(t, scenario.Cluster{}, 3, func(t *testing.T, l *lab) {
		l.addNode(3)
		l.setCount(4)
		l.pass(time.Minute)
		if got := l.listChecks(); len(got) > 0 {
			t.Errorf("while data moves to the new OSD: %v", got)
		}
		l.pass(40 * time.Minute)
		l.mustRun("ceph osd crush reweight osd.0 0")
		if _, err := l.run("ceph osd safe-to-destroy 0"); err == nil {
			t.Error("it is safe to destroy before anything was moved")
		}
		l.pass(5 * time.Minute)
		if _, err := l.run("ceph osd safe-to-destroy 0"); err == nil {
			t.Error("it is safe to destroy while data is moved")
		}
		l.mustRun("ceph config set osd osd_max_backfills 10")
		l.mustRun("ceph config set osd osd_mclock_override_recovery_settings true")
		l.pass(5 * time.Minute)
		l.mustRun("ceph osd safe-to-destroy 0")
		l.scale(OperatorNamespace, operatorApp, 0)
		l.pass(time.Minute)
		l.mustRun("ceph osd out 0")
		if _, err := l.run("ceph osd purge 0"); err == nil {
			t.Error("an OSD that is up is purged")
		}
		l.scale(Namespace, "rook-ceph-osd-0", 0)
		l.pass(time.Minute)
		l.mustRun("ceph osd purge 0 --yes-i-really-mean-it")
		l.requireHealth("")
		if count := l.countStored(); count != 20 {
			t.Errorf("%d of 20 objects are left", count)
		}
	})
}

func TestCeph_WrongStepsLoseData(t *testing.T) {
	tests := map[string]func(*lab){
		"disks destroyed before their data was moved": func(l *lab) {
			for id := range 3 {
				_, volume := l.claimOf(id)
				l.do(l.Objects.Delete(volumes.VolumeResource, "", volume))
				l.mustRun("ceph status")
			}
		},
		"OSDs purged by force before their data was moved": func(l *lab) {
			l.scale(OperatorNamespace, operatorApp, 0)
			for id := range 3 {
				l.scale(Namespace, formatOSD(id), 0)
			}
			l.pass(time.Minute)
			for id := range 3 {
				l.mustRun(fmt.Sprintf("ceph osd purge %d --force", id))
			}
		},
		"a claim deleted before its OSD was purged, and the others too": func(l *lab) {
			for id := range 3 {
				claim, _ := l.claimOf(id)
				l.do(l.Objects.Delete(volumes.ClaimResource, Namespace, claim))
				l.mustRun("ceph status")
			}
		},
		"the newest copies destroyed while an old one is left": func(l *lab) {
			l.scale(OperatorNamespace, operatorApp, 0)
			l.scale(Namespace, formatOSD(2), 0)
			l.pass(time.Minute)
			for n := range 20 {
				l.mustRun("rados -p storagepool create object-" + strconv.Itoa(n))
			}
			for id := range 2 {
				_, volume := l.claimOf(id)
				l.do(l.Objects.Delete(volumes.VolumeResource, "", volume))
			}
			l.scale(Namespace, formatOSD(2), 1)
		},
	}
	for name, wrong := range tests {
		t.Run(name, func(t *testing.T) {
			inLab(t, scenario.Cluster{}, 4, func(t *testing.T, l *lab) {
				l.setCount(3) // the fourth node has no OSD
				wrong(l)
				l.pass(time.Hour)
				if count := l.countStored(); count > 0 {
					t.Errorf("%d of 20 objects are left", count)
				}
				if checks := l.listChecks(); !slices.Contains(checks, "PG_AVAILABILITY") || !slices.Contains(checks, "OBJECT_UNFOUND") {
					t.Errorf("the checks are %v", checks)
				}
			})
		})
	}
}

func TestCeph_PurgeRefusesWhatIsNeeded(t *testing.T) {
	inLab(t, scenario.Cluster{}, 3, func(t *testing.T, l *lab) {
		l.scale(OperatorNamespace, operatorApp, 0)
		l.mustRun("ceph osd out 1")
		l.scale(Namespace, formatOSD(1), 0)
		l.pass(time.Minute)
		if _, err := l.run("ceph osd purge 1 --yes-i-really-mean-it"); err == nil || !strings.Contains(err.Error(), "not safe to destroy") {
			t.Errorf("purged: %v", err)
		}
		l.requireHealth("PG_DEGRADED")
		l.scale(Namespace, formatOSD(1), 1)
		l.mustRun("ceph osd in 1")
		l.pass(5 * time.Minute)
		l.requireHealth("")
	})
}

func TestCeph_TakesOutWhatIsSilent(t *testing.T) {
	inLab(t, scenario.Cluster{}, 4, func(t *testing.T, l *lab) {
		l.setCount(4)
		l.pass(time.Hour)
		l.scale(OperatorNamespace, operatorApp, 0)
		l.mustRun("ceph osd set noout")
		l.scale(Namespace, formatOSD(0), 0)
		l.pass(30 * time.Minute)
		l.requireHealth("OSDMAP_FLAGS OSD_DOWN PG_DEGRADED")
		l.mustRun("ceph osd unset noout")
		l.pass(time.Hour)
		l.requireHealth("")
		l.scale(Namespace, formatOSD(0), 1)
		l.pass(time.Minute)
		if !strings.Contains(l.mustRun("ceph status"), `"num_in_osds":4`) {
			t.Error("it is not taken in again")
		}
	})
}

func TestCeph_FullDisks(t *testing.T) {
	inLab(t, scenario.Cluster{}, 3, func(t *testing.T, l *lab) {
		for percent, code := range map[int]string{76: "OSD_NEARFULL", 81: "OSD_BACKFILLFULL", 86: "OSD_FULL"} {
			if err := change(l.Cluster, func(s *storage) error {
				for _, g := range s.Groups {
					g.MiB = diskMiB * percent / 100 / groupCount
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			l.requireHealth(code)
			if _, err := l.run("rados -p storagepool create more"); (err != nil) != (code == "OSD_FULL") {
				t.Errorf("%d %%: %v", percent, err)
			}
		}
	})
}

func TestOperator_RecreatesWhatIsChanged(t *testing.T) {
	inLab(t, scenario.Cluster{}, 3, func(_ *testing.T, l *lab) {
		l.do(l.Objects.Delete(cluster.DeploymentResource, Namespace, formatOSD(1)))
		l.scale(Namespace, formatOSD(2), 0)
		l.pass(time.Minute)
		l.requireHealth("")
		l.scale(OperatorNamespace, operatorApp, 0)
		l.pass(20 * time.Second)
		l.do(l.Objects.Delete(cluster.DeploymentResource, Namespace, formatOSD(1)))
		l.pass(5 * time.Minute)
		l.requireHealth("OSD_DOWN PG_DEGRADED")
	})
}

func TestOperator_MonFailsOver(t *testing.T) {
	inLab(t, scenario.Cluster{}, 4, func(t *testing.T, l *lab) {
		l.do(l.Objects.Update(cluster.NodeResource, "", "storage-1", func(o kube.Object) error {
			o.Set("spec.unschedulable", true)
			return nil
		}))
		l.do(l.Objects.Delete(cluster.PodResource, Namespace, "rook-ceph-mon-b"))
		l.pass(15 * time.Minute)
		l.requireHealth("MON_DOWN")
		l.pass(7 * time.Minute)
		l.requireHealth("")
		if mons := listMonitors(l.Cluster); !slices.Equal(mons.quorum, []string{"a", "c", "d"}) {
			t.Errorf("the mons are %v", mons)
		}
	})
}

func TestOperator_BudgetsKeepOtherHosts(t *testing.T) {
	inLab(t, scenario.Cluster{}, 3, func(t *testing.T, l *lab) {
		if _, exists := l.Objects.Get(kube.BudgetResource, Namespace, osdApp); !exists {
			t.Error("there is no budget")
		}
		l.do(l.Objects.Update(cluster.NodeResource, "", "storage-1", func(o kube.Object) error {
			o.Set("spec.unschedulable", true)
			return nil
		}))
		l.do(l.Objects.Delete(cluster.PodResource, Namespace, formatOSD(1)))
		l.pass(time.Minute)
		var names []string
		for _, budget := range l.Objects.List(kube.BudgetResource, Namespace) {
			names = append(names, budget.Name())
		}
		if want := []string{"rook-ceph-mon-pdb", "rook-ceph-osd-host-storage-0", "rook-ceph-osd-host-storage-2"}; !slices.Equal(names, want) {
			t.Errorf("the budgets are %v", names)
		}
	})
}

func TestCeph_FaultFailsOnceDataMoves(t *testing.T) {
	inLab(t, scenario.Cluster{FailingOSD: true}, 4, func(t *testing.T, l *lab) {
		l.setCount(4)
		l.pass(time.Hour)
		l.requireHealth("")
		l.mustRun("ceph osd crush reweight osd.3 0")
		l.pass(20 * time.Minute)
		if checks := l.listChecks(); !slices.Contains(checks, "PG_DEGRADED") {
			t.Errorf("the checks are %v", checks)
		}
		l.pass(2 * time.Hour)
		l.requireHealth("")
	})
}
