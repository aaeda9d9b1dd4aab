package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

const (
	graphPath = "/api/upgrades_info/v1/graph"
	// maxGraph is several times the size of a channel's graph today.
	maxGraph = 16 << 20
)

// ProbeGraph asks the update service for the version's channel.
func ProbeGraph(ctx context.Context, a connection.Client) error {
	address := buildGraphURL(a.BuildURL(graphPath), a.Deps.Task.Version)
	answer, err := a.FetchJSON(ctx, address, maxGraph)
	if err != nil {
		return err
	}
	versions, err := parseGraph(answer.Body)
	if err != nil {
		return answer.NewProtocolError(err)
	}
	if wanted := a.Deps.Task.Version; exactVersion.MatchString(wanted) && !versions[wanted] {
		return answer.Fail(reach.Missing, fmt.Errorf("channel %s has no version %s", address.Query().Get("channel"), wanted))
	}
	if len(versions) == 0 {
		return answer.Fail(reach.Missing, errors.New("the channel has no versions"))
	}
	return nil
}

func buildGraphURL(given *url.URL, version string) *url.URL {
	address := *given
	query := address.Query()
	if query.Get("channel") == "" {
		query.Set("channel", resolveChannel(version))
	}
	if query.Get("arch") == "" {
		query.Set("arch", "amd64")
	}
	address.RawQuery = query.Encode()
	return &address
}

// The update service has no channel "latest". Versions that are not released yet are candidates.
func resolveChannel(version string) string {
	if match := channelName.FindStringSubmatch(version); match != nil {
		return strings.Replace(version, "latest-", "fast-", 1)
	}
	match := exactVersion.FindStringSubmatch(version)
	switch {
	case match == nil:
		return "stable-4.21" // no version was given: any channel that exists shows that the service answers
	case strings.Contains(version, "-"):
		return "candidate-" + match[1]
	}
	return "stable-" + match[1]
}

func parseGraph(content []byte) (map[string]bool, error) {
	var graph struct {
		Nodes []struct {
			Version string `json:"version"`
		} `json:"nodes"`
	}
	if json.Unmarshal(content, &graph) != nil || graph.Nodes == nil {
		return nil, errors.New("not an update service: no version graph")
	}
	versions := map[string]bool{}
	for _, node := range graph.Nodes {
		versions[node.Version] = true
	}
	return versions, nil
}
