package api

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/api/iam"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// event is an entry of the audit trail, which holds mutations only, including refused ones.
type event struct {
	resource.Row
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
	Key        *iam.WireKey      `json:"iam-api-key,omitempty"`
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

// auditLog is the audit trail.
type auditLog struct {
	store      *resource.Store
	iam        *iam.Authorizer
	operations iam.Operations
	table      *resource.Table[event]
}

func newAuditLog(store *resource.Store, authorizer *iam.Authorizer, operations iam.Operations) *auditLog {
	return &auditLog{store: store, iam: authorizer, operations: operations, table: resource.Open[event](store, "event")}
}

// registerRoutes adds the routes of events.
func (l *auditLog) registerRoutes(register rest.Register) {
	register("GET /event", l.list)
}

// list returns a plain array, the oldest first.
func (l *auditLog) list(req *rest.Request) (any, error) {
	to, err := parseTime("to", req.Query("to"), l.store.Now())
	if err != nil {
		return nil, err
	}
	from, err := parseTime("from", req.Query("from"), to.Add(-eventWindow))
	if err != nil {
		return nil, err
	}
	list := []wireEvent{}
	for _, e := range l.table.All() {
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
		return at, rest.Invalidf("%s: %v", field, err)
	}
	return at, nil
}

func (l *auditLog) record(req *rest.Request, pattern string, fault error) error {
	head, err := l.store.NewRow("")
	if err != nil {
		return err
	}
	_, name := l.operations.Lookup(pattern)
	wire := wireEvent{
		Timestamp: head.Created.Truncate(time.Millisecond), Handler: name, URI: iam.SignedPath(req.Request),
		Status: http.StatusOK, Elapsed: 1, Zone: req.Zone, RequestID: uuid.NewString(), Key: l.iam.Signer(req), SourceIP: getSourceIP(req.Request),
		BodyParams: redactBody(req.Content), PathParams: iam.PathParams(req, pattern), GetParams: map[string]string{},
	}
	for name, values := range req.URL.Query() {
		wire.GetParams[name] = strings.Join(values, ",")
	}
	if fault != nil {
		wire.Status, wire.Message = rest.ToError(fault).Status, fault.Error()
	}
	if err := l.table.Put(event{Row: head, Wire: wire}); err != nil || l.table.Len() <= maxEvents {
		return err
	}
	return l.table.Delete(l.table.All()[0].ID)
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
