package openshift

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/registry"
)

const imagesAddress = "203.0.113.35"

// wall makes the registry unreachable, or reachable.
func (l *lab) wall(closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.walled = closed
}

// openRegistry starts the registry of releases and its trusted authority.
func (l *lab) openRegistry() {
	l.t.Helper()
	layers, err := registry.NewBlobStore()
	if err != nil {
		l.t.Fatal(err)
	}
	images, err := registry.New(registry.NewQuayConfig(layers), layers)
	if err != nil {
		l.t.Fatal(err)
	}
	if l.ca, err = fabric.NewCA("lab"); err != nil {
		l.t.Fatal(err)
	}
	hosts := append(registry.QuayLayers(), registry.Host)
	config, err := l.ca.NewServerTLS(hosts...)
	if err != nil {
		l.t.Fatal(err)
	}
	listener, err := l.host(imagesAddress).Listen(443)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, host := range hosts {
		l.names[host] = imagesAddress
	}
	all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Host {
		case registry.Host:
			images.ServeHTTP(w, r)
		case l.without():
			w.WriteHeader(http.StatusForbidden)
		default:
			layers.ServeHTTP(w, r)
		}
	})
	l.images = &http.Server{Handler: all, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = l.images.Serve(tls.NewListener(listener, config)) }()
}

// blocks makes a filter refuse one of the hosts that hold layers; "": none.
func (l *lab) blocks(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.blocked = host
}

func (l *lab) without() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.blocked
}

func TestReleaseImage_NeedsLayerHost(t *testing.T) {
	inLabOf(t, plan{}, func(t *testing.T, l *lab) {
		l.blocks(registry.QuayLayers()[0])
		l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		if l.get("/version") != nil || !strings.Contains(l.everything(), "reading blob sha256:") {
			t.Errorf("the API answers without some layers\n%s", l.everything())
		}
		l.blocks("")
		l.until(10*time.Minute, "temporary API", func() bool { return l.get("/version") != nil })
	})
}

func TestReleaseImage_NeedsRouteAndPullSecret(t *testing.T) {
	withSecret := func(secret string) string {
		return strings.Replace(configSource, `{"quay.io":{"auth":"aWQ6cGFzcwo="}}`, secret, 1)
	}
	for name, c := range map[string]struct {
		plan   plan
		closed bool
		want   string // on the console; "" for success
	}{
		"with a secret of the registry":   {plan: plan{}},
		"with a secret of the repository": {plan: plan{config: withSecret(`{"quay.io/openshift-release-dev":{"auth":"aWQ6cGFzcwo="}}`)}},
		"OKD, whose images are public":    {plan: plan{config: withSecret(`{"fake":{"auth":"aWQ6cGFzcwo="}}`), release: "4.20.0-okd-scos.11"}},
		"with a secret of something else": {plan: plan{config: withSecret(`{"fake":{"auth":"aWQ6cGFzcwo="}}`)}, want: "unable to retrieve auth token: invalid username/password"},
		"without a way to the registry":   {closed: true, want: "pinging container registry quay.io: Head"},
	} {
		t.Run(name, func(t *testing.T) {
			inLabOf(t, c.plan, func(t *testing.T, l *lab) {
				l.wall(c.closed)
				l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
				_ = l.clock.Sleep(l.ctx, 10*time.Minute)
				if up := l.get("/version") != nil; up != (c.want == "") || !strings.Contains(l.everything(), c.want) {
					t.Errorf("the API answers: %v\n%s", up, l.everything())
				}
				if c.closed {
					l.wall(false)
					l.until(10*time.Minute, "temporary API", func() bool { return l.get("/version") != nil })
				}
			})
		})
	}
}
