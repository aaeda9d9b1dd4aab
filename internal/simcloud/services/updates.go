package services

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/mirror"
)

// channelOf is a channel of updates: its kind and the minor version.
var channelOf = regexp.MustCompile(`^(stable|fast|candidate|eus)-4\.([12]\d)$`)

type node struct {
	Version  string            `json:"version"`
	Payload  string            `json:"payload"`
	Metadata map[string]string `json:"metadata"`
}

// graph is a channel: its releases, and the updates between them.
type graph struct {
	Version     int           `json:"version"`
	Nodes       []node        `json:"nodes"`
	Edges       [][2]int      `json:"edges"`
	Conditional []conditional `json:"conditionalEdges"`
}

// conditional is updates that are not recommended to clusters to which a risk applies.
type conditional struct {
	Edges []conditionalEdge `json:"edges"`
	Risks []risk            `json:"risks"`
}

type conditionalEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type risk struct {
	URL     string              `json:"url"`
	Name    string              `json:"name"`
	Message string              `json:"message"`
	Rules   []map[string]string `json:"matchingRules"`
}

func newUpdateService() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/upgrades_info/v1/graph", func(w http.ResponseWriter, r *http.Request) {
		accepted := r.Header.Get("Accept")
		channel := r.URL.Query().Get("channel")
		switch {
		case accepted != "" && !strings.Contains(accepted, "application/json") && !strings.Contains(accepted, "*/*"):
			writeJSON(w, r, http.StatusNotAcceptable, map[string]string{"kind": "invalid_content_type", "value": "invalid Content-Type requested"})
		case channel == "":
			writeJSON(w, r, http.StatusBadRequest, map[string]string{"kind": "missing_params", "value": "mandatory client parameters missing: channel"})
		default:
			writeJSON(w, r, http.StatusOK, buildChannelGraph(channel, r.URL.Query().Get("arch")))
		}
	})
	mux.Handle("/", newJSONHandler(http.StatusNotFound, map[string]string{"kind": "Error", "code": "CLUSTERS-MGMT-404", "reason": "The requested resource doesn't exist"}))
	return mux
}

// buildChannelGraph returns the releases of a channel, which are those of the mirror; none for an unknown channel. It also has those of the
// minor version before. All of them have an update to the last
// release, and one that is not recommended to the release before it.
func buildChannelGraph(channel, arch string) graph {
	g := graph{Version: 1, Nodes: []node{}, Edges: [][2]int{}, Conditional: []conditional{}}
	found := channelOf.FindStringSubmatch(channel)
	if found == nil {
		return g
	}
	if arch == "" {
		arch = "amd64"
	}
	minor, _ := strconv.Atoi(found[2]) // the pattern guarantees a number
	risky := conditional{Risks: []risk{{
		URL: "https://issues.redhat.com/browse/OCPBUGS-12345", Name: "SlowRegistryStorage", Message: "Clusters with the image registry in object storage may not start it again.",
		Rules: []map[string]string{{"type": "Always"}},
	}}}
	for _, version := range append(mirror.Patches(minor-1), mirror.Patches(minor)...) {
		release := mirror.Release{Version: version, Architecture: arch}
		g.Nodes = append(g.Nodes, node{version, release.Image(), map[string]string{"io.openshift.upgrades.graph.release.channels": channel}})
	}
	last := len(g.Nodes) - 1
	for i := range last {
		g.Edges = append(g.Edges, [2]int{i, last})
		if i < last-1 {
			risky.Edges = append(risky.Edges, conditionalEdge{g.Nodes[i].Version, g.Nodes[last-1].Version})
		}
	}
	g.Conditional = append(g.Conditional, risky)
	return g
}
