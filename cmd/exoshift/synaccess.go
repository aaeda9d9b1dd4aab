package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"

	"exoshift/internal/console"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/provisioner/syn/catalog"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/signin"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

// synAccess is a user's access to Project Syn. Its sign-ins are shared by all users of it and last as long as it does.
type synAccess struct {
	apiToken   string            // of Lieutenant: COMMODORE_API_TOKEN
	cache      string            // where commodore keeps tokens; "": nowhere
	remote     bool              // the user works on another machine
	overrides  state.SynServices // override those of Lieutenant
	vaultToken string
	vaultFile  string              // where the command vault keeps a token
	account    *vault.Kubernetes   // nil: not running in a pod
	gitToken   func() string       // in place of that of the answers; nil: that one
	agent      bootstraphost.Agent // nil: none
	knownHosts []string
	commodore  string   // path of the program; "": none
	show       syn.Show // nil: non-interactive
	// listen opens the redirect ports of sign-ins; nil: on this machine.
	listen func(port int) (net.Listener, error)

	mu     sync.Mutex
	tokens map[string]*signin.Source // by the URL of Lieutenant
	vaults map[string]*vault.Client  // by the URL of Lieutenant, and Vault's own if it is set
}

const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// newOwnAccess uses the environment and the tokens kept by other programs.
func newOwnAccess() *synAccess {
	a := &synAccess{apiToken: os.Getenv("COMMODORE_API_TOKEN"), vaultToken: os.Getenv("VAULT_TOKEN"), agent: newSSHAgent()}
	a.remote, a.overrides = os.Getenv("SSH_CONNECTION") != "", state.SynServices{
		DiscoveryURL: os.Getenv("COMMODORE_OIDC_DISCOVERY_URL"), ClientID: os.Getenv("COMMODORE_OIDC_CLIENT"),
	}
	if home, err := os.UserHomeDir(); err == nil {
		// commodore uses this directory on every system.
		a.cache = signin.CachePath(cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache")))
		a.vaultFile = filepath.Join(home, ".vault-token")
		a.knownHosts = []string{filepath.Join(home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
	}
	a.commodore, _ = exec.LookPath("commodore") // optional
	if role := os.Getenv("VAULT_KUBERNETES_ROLE"); role != "" {
		a.account = &vault.Kubernetes{TokenFile: filepath.Join(accountDir, "token"), Role: role, Mount: os.Getenv("VAULT_KUBERNETES_MOUNT")}
	}
	return a
}

func newSimulatedAccess(zone *simcloud.Zone) *synAccess {
	return &synAccess{
		gitToken: func() string { return zone.Credentials().GitToken }, show: zone.SignIn,
		listen: func(port int) (net.Listener, error) { return zone.Listen(port) },
	}
}

func waitForPerson(context.Context, string) error { return nil }

// setInteractive enables interactive sign-ins if a user is present; the renderer of the run shows the link.
func (a *synAccess) setInteractive(attended bool) *synAccess {
	if a.show == nil && attended {
		a.show = waitForPerson
	}
	return a
}

// setLinkPrinter prints the link to sign in while no renderer can show it.
func (a *synAccess) setLinkPrinter(std streams) {
	if a.show == nil && std.isTerminal() {
		a.show = func(_ context.Context, url string) error {
			fmt.Fprintf(std.err, "Sign in in a browser:\n  %s\n", console.SanitizeLine(url))
			return nil
		}
	}
}

// newLieutenantClient returns the Lieutenant at url; all clients share one sign-in.
func (a *synAccess) newLieutenantClient(net network.Network, url string) *lieutenant.Client {
	return lieutenant.New(net, url, a.openTokenSource(net, url))
}

func (a *synAccess) openTokenSource(net network.Network, url string) *signin.Source {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.tokens[url]; known != nil {
		return known
	}
	if a.tokens == nil {
		a.tokens = map[string]*signin.Source{}
	}
	a.tokens[url] = signin.New(signin.Options{
		Network: net, API: url, Services: a.newServiceLookup(net, url), Given: a.apiToken, Cache: a.cache,
		Listen: a.newListener(signin.CallbackPort), Remote: a.remote,
	})
	return a.tokens[url]
}

func (a *synAccess) newListener(port string) func() (net.Listener, error) {
	number, err := strconv.Atoi(port)
	if a.listen == nil || err != nil {
		return signin.ListenLoopback(port)
	}
	return func() (net.Listener, error) { return a.listen(number) }
}

// newServiceLookup discovers services at Lieutenant, unless they are overridden.
func (a *synAccess) newServiceLookup(net network.Network, url string) func(context.Context) (state.SynServices, error) {
	client := lieutenant.New(net, url, nil)
	return func(ctx context.Context) (state.SynServices, error) {
		if a.overrides.DiscoveryURL != "" && a.overrides.ClientID != "" {
			return a.overrides, nil
		}
		found, err := client.Discover(ctx)
		found.DiscoveryURL = cmp.Or(a.overrides.DiscoveryURL, found.DiscoveryURL)
		found.ClientID = cmp.Or(a.overrides.ClientID, found.ClientID)
		return found, err
	}
}

// openVaultClient uses the Vault of the answers, or else the one of Lieutenant.
func (a *synAccess) openVaultClient(net network.Network, spec state.SynSpec) *vault.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := spec.LieutenantURL + " " + spec.VaultAddress
	if known := a.vaults[key]; known != nil {
		return known
	}
	if a.vaults == nil {
		a.vaults = map[string]*vault.Client{}
	}
	a.vaults[key] = vault.New(net, vault.Options{
		Address: spec.VaultAddress, Services: lieutenant.New(net, spec.LieutenantURL, nil).Discover,
		Token: a.vaultToken, TokenFile: a.vaultFile, Kubernetes: a.account, Listen: a.newListener(vault.CallbackPort),
	})
	return a.vaults[key]
}

func (a *synAccess) newGitAccess(token string) catalog.Access {
	access := catalog.Access{Token: token, KnownHosts: a.knownHosts}
	if a.gitToken != nil {
		access.Token = a.gitToken()
	}
	if a.agent != nil {
		access.Agent = func(ctx context.Context) (net.Conn, error) { return a.agent(ctx) }
	}
	return access
}
