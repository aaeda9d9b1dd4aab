package probe

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

const (
	manifestDigest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	layerDigest    = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

const (
	mirrorHost = "mirror.openshift.com"
	cdnHost    = "cdn02.quay.io"
	registryAt = "quay.io"
	layer      = "\x1f\x8b\x08 the beginning of a layer"
)

// payload is a release, its mirror, its registry and the host of its layers; a test replaces the part that fails.
type payload struct {
	text, tokens, manifest, list, blob, content http.HandlerFunc

	public bool // the registry needs no authentication
}

func newPayload() *payload {
	p := &payload{
		text:     says(200, nil, "Name: 4.20.5\nPull From: quay.io/openshift-release-dev/ocp-release@"+manifestDigest+"\n"),
		tokens:   gives(`{"token":"`+token+`"}`, refuses(401)),
		manifest: says(200, map[string]string{"Content-Type": "application/vnd.docker.distribution.manifest.v2+json"}, `{"layers":[{"mediaType":"tar+gzip","digest":"`+layerDigest+`","size":9}]}`),
		content:  says(206, map[string]string{"Content-Type": "application/octet-stream"}, layer),
	}
	p.blob = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://"+cdnHost+"/layers?signature="+token)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	return p
}

func (p *payload) registry(w http.ResponseWriter, r *http.Request) {
	const root = "/v2/openshift-release-dev/ocp-release/"
	path, known := strings.CutPrefix(r.URL.Path, root)
	switch {
	case r.URL.Path == "/v2/auth":
		p.tokens(w, r)
	case r.URL.Path == "/v2/okd/scos-release/manifests/4.20.0-okd-scos.11":
		p.manifest(w, r)
	case r.URL.Path == "/v2/okd/scos-release/blobs/"+layerDigest:
		p.blob(w, r)
	case !p.public && r.Header.Get("Authorization") != "Bearer "+token:
		wants("https://"+registryAt+"/v2/auth")(w, r)
	case known && path == "manifests/"+manifestDigest && p.list != nil:
		p.list(w, r)
	case known && strings.HasPrefix(path, "manifests/"):
		p.manifest(w, r)
	case known && path == "blobs/"+layerDigest:
		p.blob(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (p *payload) serve(l *lab) {
	const clients = "/pub/openshift-v4/x86_64/clients/ocp/"
	text := func(w http.ResponseWriter, r *http.Request) { p.text(w, r) } // a test may replace it later
	texts := routes{clients + "4.20.5/release.txt": text, clients + "stable-4.20/release.txt": text}
	cdn := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Range") != "bytes=0-1023" {
			http.Error(w, "who we are is nobody else's business", http.StatusBadRequest)
			return
		}
		p.content(w, r)
	}
	for host, at := range map[string]struct {
		address string
		handler http.HandlerFunc
	}{mirrorHost: {"203.0.113.2", texts.serve}, registryAt: {"203.0.113.3", p.registry}, cdnHost: {"203.0.113.4", cdn}} {
		l.names[host] = []string{at.address}
		l.web(at.address+":443", l.authority.issue(l.t, host), at.handler)
	}
}

func TestProbe_ReleasePull(t *testing.T) {
	ours := pullSecret(registryAt, "somebody")
	redirect := func(to string) http.HandlerFunc {
		return says(http.StatusFound, map[string]string{"Location": to}, "")
	}
	for name, c := range map[string]struct {
		task    reach.Task
		spoil   func(*payload, *lab)
		class   reach.Class
		layers  string
		reached bool
		says    string
		at      string
	}{
		"good":                {reach.Task{Version: "4.20.5", PullSecret: ours}, nil, "", good, true, "", ""},
		"a channel":           {reach.Task{Version: "stable-4.20", PullSecret: ours}, nil, "", good, true, "", ""},
		"for everybody":       {reach.Task{Version: "4.20.5"}, func(p *payload, _ *lab) { p.public = true }, "", good, true, "", ""},
		"OKD":                 {reach.Task{Distribution: "okd", Version: "4.20.0-okd-scos.11"}, nil, "", good, true, "", ""},
		"OKD has no such tag": {reach.Task{Distribution: "okd", Version: "4.20.0-okd-scos.12"}, func(p *payload, _ *lab) { p.public = true }, reach.Missing, badHTTP, false, "okd/scos-release:4.20.0-okd-scos.12", ""},
		"a list of images": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) {
			p.list = data(`{"manifests":[{"digest":"` + layerDigest + `","platform":{"os":"linux","architecture":"amd64"}}]}`)
		}, "", good, true, "", ""},
		"a list without ours": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) {
			p.list = data(`{"manifests":[{"digest":"` + layerDigest + `","platform":{"os":"linux","architecture":"s390x"}}]}`)
		}, reach.Missing, badHTTP, false, "no linux/amd64 image", ""},
		"the CDN is blocked": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(_ *payload, l *lab) { l.filtered["203.0.113.4:443"] = true },
			reach.TCPTimeout, "ok fail none none", false, "no answer in time", cdnHost + ":443"},
		"the CDN does not resolve": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(_ *payload, l *lab) { delete(l.names, cdnHost) },
			reach.NXDomain, "fail none none none", false, "does not resolve", cdnHost + ":443"},
		"the CDN is intercepted": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.content = page(200) },
			reach.BlockPage, badHTTP, false, "web page", cdnHost + ":443"},
		"no layer comes": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.content = says(200, nil, "something else") },
			reach.Unexpected, badHTTP, false, "not an image layer", cdnHost + ":443"},
		"the signature is refused": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.content = says(403, nil, "<Error/>") },
			reach.Unexpected, badHTTP, false, "403", cdnHost + ":443"},
		"the CDN goes in circles": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) {
			p.content = redirect("https://" + cdnHost + "/layers?signature=" + token)
		}, reach.Unexpected, badHTTP, false, "redirect loop", cdnHost + ":443"},
		"the CDN has no TLS": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.blob = redirect("http://cdn.quay.io/x?" + token) },
			reach.Unexpected, badHTTP, false, "without TLS", ""},
		"no such release": {reach.Task{Version: "4.20.9", PullSecret: ours}, nil, reach.Missing, badHTTP, false, "release 4.20.9 not found", mirrorHost + ":443"},
		"no release.txt": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.text = page(200) },
			reach.BlockPage, badHTTP, false, "", mirrorHost + ":443"},
		"nobody gave a secret": {reach.Task{Version: "4.20.5"}, nil, reach.Unauthorized, good, true, "", ""},
		"no entry": {reach.Task{Version: "4.20.5", PullSecret: pullSecret("registry.redhat.io", "somebody")}, nil,
			reach.Credentials, badHTTP, false, "no entry for quay.io", ""},
		"refused": {reach.Task{Version: "4.20.5", PullSecret: pullSecret(registryAt, "nobody")}, nil,
			reach.Credentials, badHTTP, false, "is rejected", ""},
		"not allowed": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.manifest = refuses(403) },
			reach.Credentials, badHTTP, false, "not authorized", ""},
		"a large manifest": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.manifest = endless },
			reach.Malformed, badHTTP, false, "too large", ""},
		"a manifest of nothing": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.manifest = data(`{"errors":[]}`) },
			reach.Unexpected, badHTTP, false, "not an image manifest", ""},
		"too many pulls": {reach.Task{Version: "4.20.5", PullSecret: ours}, func(p *payload, _ *lab) { p.manifest = refuses(429) },
			reach.Slow, good, true, "rate limit", ""},
		"nobody said which": {reach.Task{PullSecret: ours}, nil, "", good, true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				p := newPayload()
				p.serve(l)
				if c.spoil != nil {
					c.spoil(p, l)
				}
				l.task = c.task
				got := l.probe(reach.Check{URL: "release://" + registryAt, Group: "redhat"})
				expect(t, got, c.class, c.layers, c.reached)
				if !strings.Contains(got.Evidence[reach.EvidenceError], c.says) || got.Evidence[reach.EvidenceHost] != c.at {
					t.Errorf("it says %q at %q, want %q at %q", got.Evidence[reach.EvidenceError], got.Evidence[reach.EvidenceHost], c.says, c.at)
				}
				noSecrets(t, got)
			})
		})
	}
}

// endless answers with a hundred megabytes, as far as the client reads.
func endless(w http.ResponseWriter, _ *http.Request) {
	for range 1600 {
		if _, err := io.WriteString(w, strings.Repeat(" ", 64<<10)); err != nil {
			return
		}
	}
}

func TestProbe_RegistryIPv6(t *testing.T) {
	for host, want := range map[string]string{mirrorHost: "", registryAt: "ok"} {
		inLab(t, func(t *testing.T, l *lab) {
			newPayload().serve(l)
			l.names6[host] = []string{"2001:db8::1"}
			l.accept(overIPv4+":443", idle)
			l.task = reach.Task{Version: "4.20.5", PullSecret: pullSecret(registryAt, "somebody")}
			got := l.probeURL("release://" + registryAt)
			expect(t, got, "", good, true)
			if got.Evidence[reach.EvidenceIPv6] != want {
				t.Errorf("%s has IPv6: %q", host, got.Evidence)
			}
		})
	}
}
