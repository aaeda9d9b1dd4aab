package apiserver

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	defaultTokenLife = time.Hour
	minTokenLife     = 10 * time.Minute
	maxTokenLife     = 1 << 32 * time.Second
)

func (s *Server) serveToken(w http.ResponseWriter, q *http.Request, r request) error {
	object, err := decode(q)
	if err != nil {
		return err
	}
	kind := kube.FindBuiltinKind("serviceaccounts")
	if _, exists := s.Objects.Find(kind.GroupResource(), r.namespace, r.name); !exists {
		return kube.NewNotFound(kind, r.name)
	}
	lifetime := defaultTokenLife
	if seconds, ok := object.Get("spec.expirationSeconds").(float64); ok {
		lifetime = time.Duration(min(seconds, maxTokenLife.Seconds())) * time.Second
	}
	if lifetime < minTokenLife {
		return kube.NewInvalid(kube.Kind{Group: "authentication.k8s.io", Kind: "TokenRequest"}, r.name,
			"spec.expirationSeconds: Invalid value: may not specify a duration less than 10 minutes")
	}
	expires := s.Objects.Now().Add(lifetime).UTC()
	object.Set("metadata.name", r.name)
	object.Set("metadata.namespace", r.namespace)
	object["status"] = kube.Object{"token": s.Issue(r.namespace, r.name, expires), "expirationTimestamp": expires.Format(time.RFC3339)}
	writeJSON(w, http.StatusCreated, object)
	return nil
}
