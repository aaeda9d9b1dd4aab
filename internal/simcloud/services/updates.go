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
	Version  int      `json:"version"`
	Nodes    []node   `json:"nodes"`
	Edges    [][2]int `json:"edges"`
	Branches []string `json:"conditionalEdges"`
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

// buildChannelGraph returns the releases of a channel, which are those of the mirror; none for an unknown channel. All of them
// have an update to the last one.
func buildChannelGraph(channel, arch string) graph {
	g := graph{Version: 1, Nodes: []node{}, Edges: [][2]int{}, Branches: []string{}}
	found := channelOf.FindStringSubmatch(channel)
	if found == nil {
		return g
	}
	if arch == "" {
		arch = "amd64"
	}
	minor, _ := strconv.Atoi(found[2]) // the pattern guarantees a number
	for _, version := range mirror.Patches(minor) {
		release := mirror.Release{Version: version, Architecture: arch}
		g.Nodes = append(g.Nodes, node{version, release.Image(), map[string]string{"io.openshift.upgrades.graph.release.channels": channel}})
	}
	for i := range len(g.Nodes) - 1 {
		g.Edges = append(g.Edges, [2]int{i, len(g.Nodes) - 1})
	}
	return g
}
