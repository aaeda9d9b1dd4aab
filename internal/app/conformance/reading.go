package conformance

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"exoshift/internal/app/conformance/har"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/api"
	exoscale "exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// Reading is one of the simulation's, and what a recording says about it.
type Reading struct {
	ID      string `json:"id"`
	What    string `json:"what"`
	Settled bool   `json:"settled"`
	AsRead  bool   `json:"asRead"`           // the zone does as the simulation does
	Status  int    `json:"status,omitempty"` // what the zone answered
}

// Paths that nothing else of a run asks for: what is refused there settles a reading.
const (
	pathForged  = "/quota/instance"
	pathUnknown = "/quota/template"
	pathDenied  = "/quota/snapshot"
)

// settlingCalls holds the calls whose refusals settle readings, by the readings' IDs. A call that is not refused settles it, too.
var settlingCalls = map[string]string{ //nolint:gochecknoglobals // a table that nothing changes
	"R01": "GET /v2" + pathForged,
	"R02": "GET /v2" + pathUnknown,
	"R03": "GET /v2" + pathDenied,
	"R06": "DELETE /v2/instance/[^/]+",
	"R10": "DELETE /v2/elastic-ip/[^/]+",
	"R22": "POST /v2/dns-domain",
	"R23": "DELETE /v2/iam-role/[^/]+",
}

// listReadings returns all readings of the simulated API, with what the exchanges say about them.
func listReadings(entries []har.Entry) (readings []Reading) {
	for _, r := range api.Readings() {
		reading := Reading{ID: r.ID, What: r.What}
		if call, can := settlingCalls[r.ID]; can {
			reading.Status = findRefusal(entries, regexp.MustCompile("^"+call+"$"))
			reading.Settled, reading.AsRead = reading.Status > 0, reading.Status == r.Status
		}
		readings = append(readings, reading)
	}
	return readings
}

// findRefusal returns the status of a call that was refused, or of one that was not if none was; 0: there was no such call.
func findRefusal(entries []har.Entry, call *regexp.Regexp) (status int) {
	for _, e := range entries {
		address, err := url.Parse(e.Request.URL)
		if err != nil || !call.MatchString(e.Request.Method+" "+address.Path) || e.Response.Status == http.StatusNotFound {
			continue
		}
		if e.Response.Status >= http.StatusBadRequest {
			return e.Response.Status
		}
		status = e.Response.Status
	}
	return status
}

// ask asks for a path as somebody else. How that is answered is in the recording.
func (r *run) ask(ctx context.Context, n network.Network, key, secret, path string) {
	client, err := exoscale.New(n, r.options.Zone, key, secret, state.NoJournal{})
	if err != nil {
		return
	}
	defer client.Close()
	var answer any
	_ = client.Get(ctx, "ask for "+path, path, &answer)
}

// askLast asks what an installation never does, about what is deleted anyway: of the answers nothing but the recording is told.
func (r *run) askLast(ctx context.Context) {
	if r.options.Record == "" {
		return
	}
	r.options.Progress("asks what the simulation has only read")
	n := r.options.Network
	r.ask(ctx, n, r.options.Key, strings.Repeat("x", len(r.options.Secret)), pathForged)
	r.ask(ctx, n, "EXO"+strings.Repeat("0", 24), r.options.Secret, pathUnknown)
	if key, err := r.folder.LoadAPIKey(r.spec.ObjectName("object_storage")); err == nil && key.Key != "" {
		r.ask(ctx, n, key.Key, key.Secret, pathDenied)
	}
	_ = r.raw.Execute(ctx, "make the DNS zone again", http.MethodPost, "/dns-domain", map[string]string{"unicode-name": r.spec.Domain()})
	if ip := r.elasticIPs.Ingress().ID; ip != "" {
		_ = r.raw.Execute(ctx, "delete an elastic IP that is attached", http.MethodDelete, "/elastic-ip/"+ip, nil)
	}
	roles, err := r.cloud.ListObjectsByKind(ctx, state.KindRole)
	for _, role := range roles {
		if err == nil && role.Name == r.spec.ObjectName("object_storage") {
			_ = r.raw.Execute(ctx, "delete a role that a key uses", http.MethodDelete, "/iam-role/"+role.ID, nil)
		}
	}
}
