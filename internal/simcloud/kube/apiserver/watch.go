package apiserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/codec"
)

type stream struct {
	objects *kube.Objects
	request request
	version uint64
	writer  http.ResponseWriter
	encoder *json.Encoder
}

func serveWatch(objects *kube.Objects, w http.ResponseWriter, r *http.Request, parsed request) error {
	ctx := r.Context()
	if seconds, err := strconv.Atoi(parsed.query.Get("timeoutSeconds")); err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
	}
	if parsed.name != "" {
		parsed.filter.Fields = append(parsed.filter.Fields, kube.Term{Key: "metadata.name", Operator: "=", Values: []string{parsed.name}})
	}
	s := &stream{objects: objects, request: parsed, writer: w, encoder: json.NewEncoder(w)}
	from := parsed.query.Get("resourceVersion")
	initial := from == "" || from == "0" || parsed.hasFlag("sendInitialEvents")
	if !initial {
		version, err := strconv.ParseUint(from, 10, 64)
		if err != nil {
			return newUnknownError("Invalid value: " + from)
		}
		s.version = version
	}
	media := jsonMedia
	if _, ok := w.(protobufWriter); ok {
		media = codec.Protobuf + ";stream=watch"
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(http.StatusOK)
	if initial {
		s.sendCurrent()
	}
	s.sendChanges(ctx)
	return nil
}

// sendCurrent sends the current objects, and a bookmark if the client requested one.
func (s *stream) sendCurrent() {
	entries, version, _ := s.objects.ListEntries(s.request.kind.GroupResource(), s.request.namespace, s.request.filter.Fields)
	s.version = version
	for _, entry := range entries {
		if s.request.filter.IsMatch(entry.Object) {
			s.sendEvent("ADDED", entry.Object)
		}
	}
	if s.request.hasFlag("sendInitialEvents") {
		s.send("BOOKMARK", kube.Object{"kind": s.request.kind.Kind, "apiVersion": s.request.kind.APIVersion(), "metadata": kube.Object{
			"resourceVersion": strconv.FormatUint(version, 10), "creationTimestamp": nil,
			"annotations": kube.Object{"k8s.io/initial-events-end": "true"}}})
	}
	s.flush()
}

// sendChanges sends every change until ctx ends or the client falls behind the log.
func (s *stream) sendChanges(ctx context.Context) {
	s.flush()
	for {
		events, version, changed, err := s.objects.ListSince(s.request.kind.GroupResource(), s.version)
		if err != nil {
			s.send("ERROR", kube.NewResourceExpired(s.version).ToStatus())
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

func (s *stream) show(e kube.Event) {
	if s.request.namespace != "" && e.Last.Namespace() != s.request.namespace {
		return
	}
	if kind := e.MatchSelector(s.request.filter.IsMatch); kind != "" {
		s.sendEvent(kind, e.Last)
	}
}

// sendEvent sends an object, or a table if the client requested one.
func (s *stream) sendEvent(kind string, o kube.Object) {
	if s.request.table {
		o = renderTable(s.request, s.objects, []kube.Object{o}, kube.Object{})
	}
	s.send(kind, o)
}

// send ignores errors of a closed connection.
func (s *stream) send(kind string, object any) {
	if _, ok := s.writer.(protobufWriter); !ok {
		_ = s.encoder.Encode(kube.Object{"type": kind, "object": object})
		return
	}
	content, err := json.Marshal(object)
	if err != nil {
		return
	}
	if frame, err := loadCodec().EncodeEvent(kind, content); err == nil {
		_, _ = s.writer.Write(frame)
	}
}

func (s *stream) flush() { _ = http.NewResponseController(s.writer).Flush() }
