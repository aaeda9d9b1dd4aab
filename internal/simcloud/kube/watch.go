package kube

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

type stream struct {
	objects *Objects
	request request
	version uint64
	writer  http.ResponseWriter
	encoder *json.Encoder
}

func (o *Objects) serveWatch(w http.ResponseWriter, r *http.Request, parsed request) error {
	ctx := r.Context()
	if seconds, err := strconv.Atoi(parsed.query.Get("timeoutSeconds")); err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
	}
	if parsed.name != "" {
		parsed.filter.fields = append(parsed.filter.fields, term{"metadata.name", "=", []string{parsed.name}})
	}
	s := &stream{objects: o, request: parsed, writer: w, encoder: json.NewEncoder(w)}
	from := parsed.query.Get("resourceVersion")
	initial := from == "" || from == "0" || parsed.hasFlag("sendInitialEvents")
	if !initial {
		version, err := strconv.ParseUint(from, 10, 64)
		if err != nil {
			return newUnknownError("Invalid value: " + from)
		}
		s.version = version
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	if initial {
		s.sendCurrent()
	}
	s.sendChanges(ctx)
	return nil
}

// sendCurrent sends the current objects, and a bookmark if the client requested one.
func (s *stream) sendCurrent() {
	entries, version, _ := s.objects.list(s.request.kind.GroupResource(), s.request.namespace, s.request.filter.fields)
	s.version = version
	for _, entry := range entries {
		if s.request.filter.isMatch(entry.object) {
			s.sendEvent("ADDED", entry.object)
		}
	}
	if s.request.hasFlag("sendInitialEvents") {
		s.send("BOOKMARK", Object{"kind": s.request.kind.Kind, "apiVersion": s.request.kind.apiVersion(), "metadata": Object{
			"resourceVersion": strconv.FormatUint(version, 10), "creationTimestamp": nil,
			"annotations": Object{"k8s.io/initial-events-end": "true"}}})
	}
	s.flush()
}

// sendChanges sends every change until ctx ends or the client falls behind the log.
func (s *stream) sendChanges(ctx context.Context) {
	s.flush()
	for {
		events, version, changed, err := s.objects.listSince(s.request.kind.GroupResource(), s.version)
		if err != nil {
			s.send("ERROR", newResourceExpired(s.version).toStatus())
			s.flush()
			return
		}
		s.version = version
		for _, event := range events {
			s.show(event)
		}
		if len(events) > 0 {
			s.flush()
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

func (s *stream) show(e event) {
	if s.request.namespace != "" && e.last.Namespace() != s.request.namespace {
		return
	}
	if kind := e.matchSelector(s.request.filter.isMatch); kind != "" {
		s.sendEvent(kind, e.last)
	}
}

// sendEvent sends an object, or a table if the client requested one.
func (s *stream) sendEvent(kind string, o Object) {
	if s.request.table {
		o = renderTable(s.request.kind, []Object{o}, Object{}, s.objects.now())
	}
	s.send(kind, o)
}

func (s *stream) send(kind string, object any) {
	_ = s.encoder.Encode(Object{"type": kind, "object": object})
}

func (s *stream) flush() { _ = http.NewResponseController(s.writer).Flush() }
