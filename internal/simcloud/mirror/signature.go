package mirror

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// signaturesPath is the mirror's directory of release signatures.
const signaturesPath = "/pub/openshift-v4/signatures/openshift/release/"

// Release returns the signature of a release of OpenShift, as clusters verify it before an update: a message with the digest.
// OKD and unknown digests have none.
func (k Key) Release(digest string) ([]byte, error) {
	release, known := Find(digest)
	if !known || release.IsOKD() {
		return nil, fmt.Errorf("no release of OpenShift has the digest %s", digest)
	}
	name := "quay.io/" + Repository + ":" + release.Version + "-" + toTagArchitecture(release.Architecture)
	content, err := json.Marshal(map[string]any{
		"critical": map[string]any{
			"image":    map[string]string{"docker-manifest-digest": digest},
			"type":     "atomic container signature",
			"identity": map[string]string{"docker-reference": name},
		},
		"optional": map[string]string{"creator": "Simulated release key"},
	})
	if err != nil {
		return nil, err
	}
	return k.SignMessage(content, time.Now())
}

// toTagArchitecture returns an architecture's name in tags.
func toTagArchitecture(arch string) string {
	switch arch {
	case amd64:
		return "x86_64"
	case "arm64":
		return "aarch64"
	}
	return arch
}

func (d downloads) serveSignature(w http.ResponseWriter, r *http.Request) {
	hash, named := strings.CutPrefix(r.PathValue("digest"), "sha256=")
	content, err := d.key.Release("sha256:" + hash)
	if err != nil || !named {
		http.NotFound(w, r)
		return
	}
	serve(w, r, content, nil)
}

func serveListing(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<html><head><title>Index of %[1]s</title></head><body><h1>Index of %[1]s</h1></body></html>\n", r.URL.Path) // closed by the client
}
