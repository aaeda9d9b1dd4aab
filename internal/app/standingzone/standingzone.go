package standingzone

import (
	"context"

	"bytes"
	"errors"

	"al.essio.dev/pkg/shellescape"

	"fmt"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/internal/app/zoneimage"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/proxy"
	"exoshift/state"
	"exoshift/wizard"

	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/google/renameio/v2"
)

// Options are a zone and how it is reached.
type Options struct {
	Listen, Dir, Scenario string
	Env, Calls            string // files: the environment for clients, and a line of JSON for each call; "" for none
	Speed                 float64
	Latency               time.Duration  // of the API
	Quotas                map[string]int // limits of the organization in place of the usual ones, by resource
}

// Ready is a zone that serves clients.
type Ready struct {
	Name, URL string
	Exports   []byte // the environment for clients, without secrets of others
}

// Serve needs valid options, and serves until ctx ends.
func (s Options) Serve(ctx context.Context, spec state.Spec, secrets wizard.Secrets, ready func(Ready) error) (err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--listen %s: %w; port 0 selects a free one", s.Listen, err))
	}
	defer func() { _ = l.Close() }()
	var recorded func(http.Handler) http.Handler
	if s.Calls != "" {
		calls, err := os.OpenFile(s.Calls, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return exit.WithCode(exit.Usage, fmt.Errorf("--calls: %w", err))
		}
		defer func() { _ = calls.Close() }()
		recorded = (&callRecorder{w: calls}).record
	}
	zone, err := s.open(ctx, spec, secrets, recorded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, zone.Close()) }()
	exports, err := s.writeEnvironment(l.Addr(), zone, spec)
	if err != nil {
		return err
	}
	if err := ready(Ready{spec.Exoscale.Zone, "http://" + l.Addr().String(), exports}); err != nil {
		return err
	}
	return proxy.Serve(ctx, l, zone.Network())
}

// Validate checks the options before anything is opened.
func (s Options) Validate() error {
	if s.Dir == "" {
		return exit.WithCode(exit.Usage, errors.New("--dir is required: the folder of the zone"))
	}
	if s.Latency < 0 {
		return exit.WithCode(exit.Usage, fmt.Errorf("--latency %s: must not be negative", s.Latency))
	}
	if err := checkLoopback(s.Listen); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--listen %s: %w", s.Listen, err))
	}
	return rehearsal.Rehearsal{Speed: s.Speed, Scenario: s.Scenario}.Validate()
}

// checkLoopback rejects addresses that are reachable from other machines: the proxy has no authentication.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("must be an address with a port, e.g. 127.0.0.1:8080: %w", err)
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return errors.New("only loopback addresses are allowed, e.g. 127.0.0.1:8080, because the proxy has no authentication")
	}
	return nil
}

// garbagePercent reduces the frequency of garbage collections: a long-running zone has few live objects and many allocations.
const garbagePercent = 400

func (s Options) open(ctx context.Context, spec state.Spec, secrets wizard.Secrets, middleware func(http.Handler) http.Handler) (*simcloud.Zone, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	speed := s.Speed
	if speed == 1 {
		speed = 0 // the wall clock
	}
	return simcloud.Open(ctx, simcloud.Options{
		Dir:      s.Dir,
		Speed:    speed,
		Scenario: s.Scenario,
		Quotas:   s.Quotas,
		Latency:  s.Latency, Middleware: middleware,
		Zone:      spec.Exoscale.Zone,
		Key:       secrets.APIKey,
		Secret:    secrets.APISecret,
		Installer: []string{self, environment.InstallerVerb},
		Program:   zoneimage.RunOnMachine,
	})
}

// writeEnvironment writes the environment for clients, and returns what of it may be shown. The listener is open already, so that early clients wait for the
// server.
func (s Options) writeEnvironment(address net.Addr, zone *simcloud.Zone, spec state.Spec) (exports []byte, err error) {
	authority, err := filepath.Abs(filepath.Join(s.Dir, "ca.pem"))
	if err != nil {
		return nil, err
	}
	if err := renameio.WriteFile(authority, zone.Authority(), 0o600); err != nil {
		return nil, fmt.Errorf("write the certificate of the zone's authority: %w", err)
	}
	releaseKey := filepath.Join(filepath.Dir(authority), "release-key.asc")
	if err := renameio.WriteFile(releaseKey, zone.ReleaseKey(), 0o600); err != nil {
		return nil, fmt.Errorf("write the key that the zone's releases are signed with: %w", err)
	}
	hostKeys := filepath.Join(filepath.Dir(authority), "known_hosts")
	if err := renameio.WriteFile(hostKeys, request.FormatKnownHosts(zone.HostKeys()), 0o600); err != nil {
		return nil, fmt.Errorf("write the keys of the zone's SSH hosts: %w", err)
	}
	variables := listClientVariables("http://"+address.String(), authority, spec.Exoscale.Zone, zone.Credentials())
	variables = append(variables, variable{name: "EXOSHIFT_RELEASE_KEY", value: releaseKey}, variable{name: "EXOSHIFT_HOST_KEYS", value: hostKeys},
		variable{name: environment.ClockVariable, value: strconv.FormatFloat(zone.Network().Clock.Speed(), 'g', -1, 64)})
	if s.Env != "" {
		if err := renameio.WriteFile(s.Env, formatExports(variables), 0o600); err != nil {
			return nil, fmt.Errorf("write the environment for clients: %w", err)
		}
	}
	return formatExports(withoutSecrets(variables)), nil
}

type variable struct {
	name, value string
	secret      bool // provided by the operator, and written to a private file only
}

// listClientVariables returns the variables for exoshift and third-party programs. The S3 variables are those of the AWS
// command line and SDKs, the last two authorities those of curl and of Python's requests.
func listClientVariables(proxy, authority, zone string, operator simcloud.Credentials) []variable {
	list := []variable{
		{name: "HTTPS_PROXY", value: proxy}, {name: "https_proxy", value: proxy},
		{name: "HTTP_PROXY", value: proxy}, {name: "http_proxy", value: proxy},
		{name: "NO_PROXY"}, {name: "no_proxy"},
		{name: "SSL_CERT_FILE", value: authority}, {name: "AWS_CA_BUNDLE", value: authority},
		{name: "CURL_CA_BUNDLE", value: authority}, {name: "REQUESTS_CA_BUNDLE", value: authority},
		{name: "EXOSCALE_ZONE", value: zone},
		{name: "AWS_DEFAULT_REGION", value: zone}, {name: "AWS_REGION", value: zone},
		{name: "AWS_ENDPOINT_URL_S3", value: "https://sos-" + zone + ".exo.io"},
		{name: "COMMODORE_API_TOKEN", value: operator.APIToken}, {name: "VAULT_TOKEN", value: operator.VaultToken},
		{name: "GITLAB_TOKEN", value: operator.GitToken},
	}
	for _, secret := range []struct{ name, alias string }{
		{"EXOSCALE_API_KEY", "AWS_ACCESS_KEY_ID"}, {"EXOSCALE_API_SECRET", "AWS_SECRET_ACCESS_KEY"}, {"EXOSHIFT_PULL_SECRET", ""},
	} {
		value, _ := environment.LookupRehearsalSecret(secret.name)
		shipped, _ := environment.DefaultSecret(secret.name)
		own := value != shipped
		list = append(list, variable{secret.name, value, own})
		if secret.alias != "" {
			list = append(list, variable{secret.alias, value, own})
		}
	}
	return list
}

func withoutSecrets(variables []variable) []variable {
	var public []variable
	for _, v := range variables {
		if !v.secret {
			public = append(public, v)
		}
	}
	return public
}

func formatExports(variables []variable) []byte {
	var lines bytes.Buffer
	for _, v := range variables {
		fmt.Fprintf(&lines, "export %s=%s\n", v.name, shellescape.Quote(v.value))
	}
	return lines.Bytes()
}
