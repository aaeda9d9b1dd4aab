package api

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// event is an entry of the audit trail, which holds mutations only, including refused ones.
type event struct {
	row
	Wire wireEvent
}

type wireEvent struct {
	Timestamp  time.Time         `json:"timestamp"`
	Handler    string            `json:"handler"` // the operation's name in the description: "register-template"
	URI        string            `json:"uri"`
	Status     int               `json:"status"`
	Elapsed    int               `json:"elapsed-ms"`
	SourceIP   string            `json:"source-ip,omitempty"`
	Zone       string            `json:"zone,omitempty"`
	RequestID  string            `json:"request-id"`
	Key        *wireAPIKey       `json:"iam-api-key,omitempty"`
	BodyParams map[string]any    `json:"body-params"`
	PathParams map[string]string `json:"path-params"`
	GetParams  map[string]string `json:"get-params"`
	Message    string            `json:"message"`
}

const (
	// maxEvents is the number of entries kept.
	maxEvents = 10000
	// eventWindow is the default range of a query.
	eventWindow = 24 * time.Hour
)

func (a *API) registerEventRoutes(register func(string, handler)) {
	register("GET /event", a.listEvents)
}

// listEvents returns a plain array, the oldest first.
func (a *API) listEvents(c *call) (any, error) {
	to, err := parseTime("to", c.query("to"), a.now())
	if err != nil {
		return nil, err
	}
	from, err := parseTime("from", c.query("from"), to.Add(-eventWindow))
	if err != nil {
		return nil, err
	}
	list := []wireEvent{}
	for _, e := range a.tables.events.listAll() {
		if !e.Wire.Timestamp.Before(from) && !e.Wire.Timestamp.After(to) {
			list = append(list, e.Wire)
		}
	}
	return list, nil
}

func parseTime(field, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, newInvalidError("%s: %v", field, err)
	}
	return at, nil
}

func (a *API) recordEvent(c *call, pattern string, fault error) error {
	head, err := a.newRow("")
	if err != nil {
		return err
	}
	_, name := lookupOperation(a.operations, pattern)
	wire := wireEvent{
		Timestamp: head.Created.Truncate(time.Millisecond), Handler: name, URI: c.request.URL.EscapedPath(),
		Status: http.StatusOK, Elapsed: 1, Zone: c.zone, RequestID: uuid.NewString(), Key: a.findSigner(c), SourceIP: getSourceIP(c.request),
		BodyParams: redactBody(c.body), PathParams: extractPathParams(c.request, pattern), GetParams: map[string]string{},
	}
	if original, ok := c.request.Context().Value(signedPath{}).(string); ok {
		wire.URI = original
	}
	for name, values := range c.request.URL.Query() {
		wire.GetParams[name] = strings.Join(values, ",")
	}
	if fault != nil {
		wire.Status, wire.Message = toAPIError(fault).Status, fault.Error()
	}
	if err := a.tables.events.put(event{row: head, Wire: wire}); err != nil || a.tables.events.count() <= maxEvents {
		return err
	}
	return a.tables.events.delete(a.tables.events.listAll()[0].ID)
}

// findSigner returns the request's key without its secret.
func (a *API) findSigner(c *call) *wireAPIKey {
	given, ok := parseCredential(c.request.Header.Get("Authorization"))
	if !ok {
		return nil
	}
	if made, ok := a.tables.apiKeys.table.Get(given.key); ok {
		return &made.Wire
	}
	return &wireAPIKey{Key: given.key, Name: "owner", Role: generateStableID("iam-role/owner")}
}

func getSourceIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return host
}

// redactBody removes secrets: user data, and the signatures of links.
func redactBody(body []byte) map[string]any {
	params := map[string]any{}
	if json.Unmarshal(body, &params) != nil {
		return map[string]any{}
	}
	maps.DeleteFunc(params, func(name string, _ any) bool { return name == "user-data" || name == "secret" })
	if link, ok := params["url"].(string); ok {
		params["url"], _, _ = strings.Cut(link, "?")
	}
	return params
}

func extractPathParams(r *http.Request, pattern string) map[string]string {
	params := map[string]string{}
	for _, found := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(pattern, -1) {
		params[found[1]] = r.PathValue(found[1])
	}
	return params
}
