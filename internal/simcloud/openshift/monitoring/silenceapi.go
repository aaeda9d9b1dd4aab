package monitoring

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// silence is one that a client has made by the API, version 2.
type silence struct {
	ID string
	silenceRule
	StartsAt, EndsAt   time.Time
	CreatedBy, Comment string
}

func (s silence) isActive(now time.Time) bool {
	return !now.Before(s.StartsAt.Add(-time.Second)) && now.Before(s.EndsAt)
}

func (s silence) render(now time.Time) kube.Object {
	matchers := make([]kube.Object, len(s.Matchers))
	for i, m := range s.Matchers {
		matchers[i] = kube.Object{"name": m.Name, "value": m.Value, "isRegex": false, "isEqual": true}
	}
	phase := "expired"
	if s.isActive(now) {
		phase = "active"
	}
	return kube.Object{"id": s.ID, "matchers": matchers, "startsAt": s.StartsAt.Format(time.RFC3339Nano), "endsAt": s.EndsAt.Format(time.RFC3339Nano),
		"updatedAt": s.StartsAt.Format(time.RFC3339Nano), "createdBy": s.CreatedBy, "comment": s.Comment, "status": kube.Object{"state": phase}}
}

const silenceRecords = "silences of the API"

func listSilences(c *cluster.Cluster) (all []silence) {
	kept, _ := c.StateRecords.Get(silenceRecords)
	if kept.State == "" || json.Unmarshal([]byte(kept.State), &all) != nil {
		return nil
	}
	return all
}

// changeSilences has one request change them at a time.
func changeSilences(c *cluster.Cluster, change func([]silence) []silence) error {
	c.Storage.Lock()
	defer c.Storage.Unlock()
	content, err := json.Marshal(change(listSilences(c)))
	if err != nil {
		return err
	}
	return c.StateRecords.Put(silenceRecords, cluster.StateRecord{What: silenceRecords, State: string(content), Since: c.Clock.Now()})
}

// serveSilences returns false for what is none of its requests.
func serveSilences(c *cluster.Cluster, w http.ResponseWriter, r *http.Request) bool {
	id, single := strings.CutPrefix(r.URL.Path, "/api/v2/silence/")
	switch {
	case r.URL.Path == "/api/v2/silences" && r.Method == http.MethodGet:
		rendered := []kube.Object{}
		for _, one := range listSilences(c) {
			rendered = append(rendered, one.render(c.Clock.Now().UTC()))
		}
		writeJSON(w, rendered)
	case r.URL.Path == "/api/v2/silences" && r.Method == http.MethodPost:
		postSilence(c, w, r)
	case single && r.Method == http.MethodDelete:
		expireSilence(c, w, id)
	default:
		return false
	}
	return true
}

// postSilence makes one, or changes the one that is named and active; another one is made in the place of one that has expired.
func postSilence(c *cluster.Cluster, w http.ResponseWriter, r *http.Request) {
	var wanted silence
	now := c.Clock.Now().UTC()
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil || len(wanted.Matchers) == 0 || !wanted.EndsAt.After(now) || wanted.Comment == "" || wanted.CreatedBy == "" {
		http.Error(w, `"invalid silence"`, http.StatusBadRequest)
		return
	}
	if err := changeSilences(c, func(all []silence) []silence {
		at := slices.IndexFunc(all, func(s silence) bool { return s.ID == wanted.ID && s.isActive(now) })
		if at >= 0 {
			all[at] = wanted
			return all
		}
		wanted.ID = cluster.HashSuffix(wanted.Comment + now.Format(time.RFC3339Nano))
		return append(all, wanted)
	}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(w, kube.Object{"silenceID": wanted.ID})
}

func expireSilence(c *cluster.Cluster, w http.ResponseWriter, id string) {
	found := false
	if err := changeSilences(c, func(all []silence) []silence {
		for i := range all {
			if all[i].ID == id {
				found, all[i].EndsAt = true, c.Clock.Now().UTC()
			}
		}
		return all
	}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if !found {
		http.Error(w, "silence "+id+" not found", http.StatusNotFound)
	}
}

// listCephAlerts are those of Rook's rules, as far as they are simulated.
func listCephAlerts(c *cluster.Cluster) []alert {
	const namespace = "syn-rook-ceph-cluster"
	found, exists := c.Objects.Get("cephclusters.ceph.rook.io", namespace, "cluster")
	severity, name := "warning", "CephClusterWarningState"
	switch found.GetString("status.ceph.health") {
	case "HEALTH_WARN":
	case "HEALTH_ERR":
		severity, name = "critical", "CephClusterErrorState"
	default:
		exists = false
	}
	if !exists {
		return nil
	}
	return []alert{{name, severity, namespace, "Storage cluster is not well.", "Storage cluster is in another state than HEALTH_OK for a while.", "rook-ceph"}}
}
