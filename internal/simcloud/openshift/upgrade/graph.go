package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

// refreshInterval is how old the list of updates may become.
const refreshInterval = time.Hour

const graphURL = "https://api.openshift.com/api/upgrades_info/v1/graph"

// risk is why an update is not recommended to some clusters.
type risk struct {
	URL     string `json:"url"`
	Name    string `json:"name"`
	Message string `json:"message"`
}

// graph is a channel, as the update service has it.
type graph struct {
	Nodes []struct {
		Version string `json:"version"`
		Payload string `json:"payload"`
	} `json:"nodes"`
	Edges       [][2]int `json:"edges"`
	Conditional []struct {
		Edges []struct{ From, To string } `json:"edges"`
		Risks []risk                      `json:"risks"`
	} `json:"conditionalEdges"`
}

// updates is what a cluster may be updated to.
type updates struct {
	of          string // channel and version
	at          time.Time
	available   []kube.Object // newest first
	conditional []kube.Object
	failure     string // why there is no list
	reason      string
}

// Graph fetches the updates of a cluster from the update service, from the machine that leads.
type Graph struct {
	cluster *cluster.Cluster
	machine machine.Machine
	mu      sync.Mutex
	found   updates
}

// NewGraph has nothing fetched yet.
func NewGraph(c *cluster.Cluster, m machine.Machine) *Graph { return &Graph{cluster: c, machine: m} }

func (g *Graph) get() updates {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found
}

// Refresh fetches the list if it is of another channel or release, or old, and reports whether it has changed.
func (g *Graph) Refresh(ctx context.Context) (changed bool) {
	version, _ := g.cluster.Objects.Get(cluster.VersionResource, "", "version")
	if !isInstalled(version) {
		return false
	}
	channel, current, now := version.GetString("spec.channel"), g.cluster.TargetVersion(), g.cluster.Clock.Now()
	before, of := g.get(), channel+" "+current
	if before.of == of && now.Sub(before.at) < refreshInterval {
		return false
	}
	found := updates{of: of, at: now}
	if channel == "" {
		found.reason, found.failure = "NoChannel", "The update channel has not been configured."
	} else if fetched, err := g.fetch(ctx, channel); err != nil {
		found.reason, found.failure = "RemoteFailed", fmt.Sprintf("Unable to retrieve available updates: Get %q: %v", graphURL, err)
		found.at = now.Add(3*time.Minute - refreshInterval) // it is tried again soon
	} else if !fetched.list(current, &found) {
		found.reason, found.failure = "VersionNotFound", fmt.Sprintf("Unable to retrieve available updates: currently reconciling cluster version %s not found in the %q channel", current, channel)
	}
	if ctx.Err() != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.found = found
	found.at = before.at
	return !reflect.DeepEqual(found, before)
}

func (g *Graph) fetch(ctx context.Context, channel string) (fetched graph, err error) {
	ctx, cancel := context.WithTimeout(ctx, g.cluster.Timeout())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, graphURL+"?arch=amd64&channel="+url.QueryEscape(channel), nil)
	if err != nil {
		return fetched, err
	}
	request.Header.Set("Accept", "application/json")
	settings, _ := g.cluster.Objects.Get("proxies.config.openshift.io", "", "cluster")
	choose := (&httpproxy.Config{HTTPSProxy: settings.GetString("status.httpsProxy"), NoProxy: settings.GetString("status.noProxy")}).ProxyFunc()
	transport := g.machine.Network().NewTransport()
	transport.Proxy = func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
	transport.DisableKeepAlives = true
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return fetched, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fetched, fmt.Errorf("unexpected HTTP status: %s", response.Status)
	}
	return fetched, json.NewDecoder(response.Body).Decode(&fetched)
}

// list adds the updates from a release, newest first; false: the channel does not have it.
func (g graph) list(current string, found *updates) bool {
	at := slices.IndexFunc(g.Nodes, func(n struct {
		Version string `json:"version"`
		Payload string `json:"payload"`
	}) bool {
		return n.Version == current
	})
	if at < 0 {
		return false
	}
	images := map[string]string{}
	for _, node := range g.Nodes {
		images[node.Version] = node.Payload
	}
	for _, edge := range g.Edges {
		if edge[0] == at {
			found.available = append(found.available, formatRelease(g.Nodes[edge[1]].Version, images))
		}
	}
	for _, conditional := range g.Conditional {
		for _, edge := range conditional.Edges {
			if edge.From == current {
				found.conditional = append(found.conditional, formatConditional(edge.To, images, conditional.Risks))
			}
		}
	}
	stable.Sort(found.available, func(a, b kube.Object) int { return compare(b.GetString("version"), a.GetString("version")) })
	stable.Sort(found.conditional, func(a, b kube.Object) int {
		return compare(b.GetString("release.version"), a.GetString("release.version"))
	})
	return true
}

func formatRelease(version string, images map[string]string) kube.Object {
	return kube.Object{"version": version, "image": images[version], "channels": listChannels(version), "url": "https://access.redhat.com/errata/RHBA-" + version}
}

// formatConditional has every risk apply.
func formatConditional(version string, images map[string]string, risks []risk) kube.Object {
	listed, reason, message := make([]kube.Object, len(risks)), "", ""
	for i, one := range risks {
		listed[i] = kube.Object{"name": one.Name, "message": one.Message, "url": one.URL, "matchingRules": []kube.Object{{"type": "Always"}}}
		reason, message = one.Name, one.Message+" "+one.URL
	}
	return kube.Object{
		"release": formatRelease(version, images), "risks": listed,
		"conditions": []kube.Object{{"type": "Recommended", "status": "False", "reason": reason, "message": message}},
	}
}

func isInstalled(version kube.Object) bool {
	return slices.ContainsFunc(version.List("status.history"), func(entry kube.Object) bool { return entry.GetString("state") == "Completed" })
}
