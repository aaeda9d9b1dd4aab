package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/proxy"
	"exoshift/internal/simcloud/scenario"
	"exoshift/state"
	"exoshift/wizard"
)

// simulateFlags are not read from the environment: EXOSHIFT_DIR and the like are meant for the verbs that use the zone.
type simulateFlags struct {
	listen, dir, scenario, env, calls string
	speed                             float64
	latency                           time.Duration
}

func newSimulateCommand(std streams) *cobra.Command {
	var s simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Let a simulated zone stand by itself behind a local proxy, for any program that speaks to Exoscale",
		Long: `Let a simulated zone stand by itself behind an HTTP proxy on loopback, until it is stopped.

Whatever is started with the printed environment talks to the simulated zone instead of the internet: exoshift, and
every other program that honours HTTPS_PROXY and trusts SSL_CERT_FILE. The zone is kept in --dir and found again there.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), std) },
	}
	flags := cmd.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "the loopback address of the proxy; port 0 is any free one")
	flags.StringVar(&s.dir, "dir", "", "the folder that keeps the zone")
	flags.Float64Var(&s.speed, "speed", 1, "how many times faster than real")
	flags.DurationVar(&s.latency, "latency", 0, "how long the API takes for each answer, e.g. 200ms")
	flags.StringVar(&s.scenario, "scenario", "happy", "what happens: "+strings.Join(scenario.Names(), ", "))
	flags.StringVar(&s.env, "env", "", "the file that is given the environment for clients once the zone is ready")
	flags.StringVar(&s.calls, "calls", "", "the file that is given a line of JSON for each call of the API")
	return cmd
}

func (s simulateFlags) run(ctx context.Context, std streams) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	example, err := options{}.loadExample(std, environment.LookupRehearsalSecret)
	if err != nil {
		return err
	}
	spec, secrets := example.answers.Spec, example.secrets
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--listen %s: %w; port 0 takes any free one", s.listen, err))
	}
	defer func() { _ = l.Close() }()
	var recorded func(http.Handler) http.Handler
	if s.calls != "" {
		calls, err := os.OpenFile(s.calls, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
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
	if err := s.printEnvironment(std, l.Addr(), zone, spec); err != nil {
		return err
	}
	return proxy.Serve(ctx, l, zone.Network())
}

func (s simulateFlags) check() error {
	if s.dir == "" {
		return exit.WithCode(exit.Usage, errors.New("no folder: name with --dir where the zone is kept"))
	}
	if s.latency < 0 {
		return exit.WithCode(exit.Usage, fmt.Errorf("--latency %s: it is not negative", s.latency))
	}
	if err := checkLoopback(s.listen); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--listen %s: %w", s.listen, err))
	}
	return rehearsal{speed: s.speed, scenario: s.scenario}.check()
}

// checkLoopback rejects addresses that are reachable from other machines: the proxy has no authentication.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("it is an address with a port, such as 127.0.0.1:8080: %w", err)
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return errors.New("only loopback addresses such as 127.0.0.1:8080, because the proxy serves everybody who reaches it")
	}
	return nil
}

// garbagePercent reduces the frequency of garbage collections: a long-running zone has few live objects and many allocations.
const garbagePercent = 400

func (s simulateFlags) open(ctx context.Context, spec state.Spec, secrets wizard.Secrets, middleware func(http.Handler) http.Handler) (*simcloud.Zone, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	speed := s.speed
	if speed == 1 {
		speed = 0 // the wall clock
	}
	return simcloud.Open(ctx, simcloud.Options{
		Dir:      s.dir,
		Speed:    speed,
		Scenario: s.scenario,
		Latency:  s.latency, Middleware: middleware,
		Zone:      spec.Exoscale.Zone,
		Key:       secrets.APIKey,
		Secret:    secrets.APISecret,
		Installer: []string{self, environment.InstallerVerb},
	})
}

// printEnvironment prints the environment for clients. The listener is open already, so that early clients wait for the
// server.
func (s simulateFlags) printEnvironment(std streams, address net.Addr, zone *simcloud.Zone, spec state.Spec) error {
	authority, err := filepath.Abs(filepath.Join(s.dir, "ca.pem"))
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(authority, zone.Authority(), 0o600); err != nil {
		return fmt.Errorf("write the certificate of the zone's authority: %w", err)
	}
	releaseKey := filepath.Join(filepath.Dir(authority), "release-key.asc")
	if err := renameio.WriteFile(releaseKey, zone.ReleaseKey(), 0o600); err != nil {
		return fmt.Errorf("write the key that the zone's releases are signed with: %w", err)
	}
	hostKeys := filepath.Join(filepath.Dir(authority), "known_hosts")
	if err := renameio.WriteFile(hostKeys, formatKnownHosts(zone.HostKeys()), 0o600); err != nil {
		return fmt.Errorf("write the keys of the zone's SSH hosts: %w", err)
	}
	variables := listClientVariables("http://"+address.String(), authority, spec.Exoscale.Zone, zone.Credentials())
	variables = append(variables, variable{name: "EXOSHIFT_RELEASE_KEY", value: releaseKey}, variable{name: "EXOSHIFT_HOST_KEYS", value: hostKeys},
		variable{name: environment.ClockVariable, value: strconv.FormatFloat(zone.Network().Clock.Speed(), 'g', -1, 64)})
	if s.env != "" {
		if err := renameio.WriteFile(s.env, formatExports(variables), 0o600); err != nil {
			return fmt.Errorf("write the environment for clients: %w", err)
		}
	}
	fmt.Fprintf(std.err, "The simulated zone %s is open at http://%s; Ctrl-C ends it, and it is found again in %s.\n", spec.Exoscale.Zone, address, s.dir)
	_, err = std.out.Write(formatExports(withoutSecrets(variables)))
	return err
}

type variable struct {
	name, value string
	secret      bool // provided by the operator, and written to a private file only
}

// listClientVariables returns the variables for exoshift and third-party programs. The S3 variables are those of the AWS
// command line and SDKs, the last two authorities those of curl and of Python's requests.
func listClientVariables(proxy, authority, zone string, person simcloud.Credentials) []variable {
	list := []variable{
		{name: "HTTPS_PROXY", value: proxy}, {name: "https_proxy", value: proxy},
		{name: "HTTP_PROXY", value: proxy}, {name: "http_proxy", value: proxy},
		{name: "NO_PROXY"}, {name: "no_proxy"},
		{name: "SSL_CERT_FILE", value: authority}, {name: "AWS_CA_BUNDLE", value: authority},
		{name: "CURL_CA_BUNDLE", value: authority}, {name: "REQUESTS_CA_BUNDLE", value: authority},
		{name: "EXOSCALE_ZONE", value: zone},
		{name: "AWS_DEFAULT_REGION", value: zone}, {name: "AWS_REGION", value: zone},
		{name: "AWS_ENDPOINT_URL_S3", value: "https://sos-" + zone + ".exo.io"},
		{name: "COMMODORE_API_TOKEN", value: person.APIToken}, {name: "VAULT_TOKEN", value: person.VaultToken},
		{name: "GITLAB_TOKEN", value: person.GitToken},
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
