package environment

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

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

// Access is a user's access to Project Syn. Its sign-ins are shared by all users of it and last as long as it does.
type Access struct {
	APIToken   string            // of Lieutenant: COMMODORE_API_TOKEN
	cache      string            // where commodore keeps tokens; "": nowhere
	remote     bool              // the user works on another machine
	overrides  state.SynServices // override those of Lieutenant
	VaultToken string
	vaultFile  string              // where the command vault keeps a token
	vaultSpace string              // its namespace; "" is the root
	account    *vault.Kubernetes   // nil: not running in a pod
	GitToken   func() string       // in place of that of the answers; nil: that one
	agent      bootstraphost.Agent // nil: none
	knownHosts []string
	Commodore  string   // path of the program; "": none
	Show       syn.Show // nil: non-interactive
	// listen opens the redirect ports of sign-ins; nil: on this machine.
	listen func(port int) (net.Listener, error)

	mu     sync.Mutex
	tokens map[string]*signin.Source // by the URL of Lieutenant
	vaults map[string]*vault.Client  // by the URL of Lieutenant, Vault's own if it is set, and its mount
}

const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// NewOwnAccess returns the access of this machine's user. It uses the environment and the tokens kept by other programs.
func NewOwnAccess() *Access {
	a := &Access{APIToken: os.Getenv("COMMODORE_API_TOKEN"), VaultToken: os.Getenv("VAULT_TOKEN"), agent: NewSSHAgent()}
	a.vaultSpace = os.Getenv("VAULT_NAMESPACE")
	a.remote, a.overrides = os.Getenv("SSH_CONNECTION") != "", state.SynServices{
		DiscoveryURL: os.Getenv("COMMODORE_OIDC_DISCOVERY_URL"), ClientID: os.Getenv("COMMODORE_OIDC_CLIENT"),
	}
	if home, err := os.UserHomeDir(); err == nil {
		// commodore uses this directory on every system.
		a.cache = signin.CachePath(cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache")))
		a.vaultFile = filepath.Join(home, ".vault-token")
		a.knownHosts = []string{filepath.Join(home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
	}
	a.Commodore, _ = exec.LookPath("commodore") // optional
	if role := os.Getenv("VAULT_KUBERNETES_ROLE"); role != "" {
		a.account = &vault.Kubernetes{TokenFile: filepath.Join(accountDir, "token"), Role: role, Mount: os.Getenv("VAULT_KUBERNETES_MOUNT")}
	}
	return a
}

// NewSimulatedAccess returns the access of an engineer of a simulated zone, who signs in at once.
func NewSimulatedAccess(zone *simcloud.Zone) *Access {
	return &Access{
		GitToken: func() string { return zone.Credentials().GitToken }, Show: zone.SignIn,
		listen: func(port int) (net.Listener, error) { return zone.Listen(port) },
	}
}

func waitForPerson(context.Context, string) error { return nil }

// SetInteractive enables interactive sign-ins if a user is present; the renderer of the run shows the link.
func (a *Access) SetInteractive(attended bool) *Access {
	if a.Show == nil && attended {
		a.Show = waitForPerson
	}
	return a
}

// SetLinkPrinter shows the link to sign in by show, as long as no renderer shows it.
func (a *Access) SetLinkPrinter(show syn.Show) {
	if a.Show == nil {
		a.Show = show
	}
}

// NewLieutenantClient returns the Lieutenant at url; all clients share one sign-in.
func (a *Access) NewLieutenantClient(net network.Network, url string) *lieutenant.Client {
	return lieutenant.New(net, url, a.OpenTokenSource(net, url))
}

// OpenTokenSource returns the one source of tokens for the Lieutenant at url.
func (a *Access) OpenTokenSource(net network.Network, url string) *signin.Source {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.tokens[url]; known != nil {
		return known
	}
	if a.tokens == nil {
		a.tokens = map[string]*signin.Source{}
	}
	a.tokens[url] = signin.New(signin.Options{
		Network: net, API: url, Services: a.newServiceLookup(net, url), Given: a.APIToken, Cache: a.cache,
		Listen: a.newListener(signin.CallbackPort), Remote: a.remote,
	})
	return a.tokens[url]
}

func (a *Access) newListener(port string) func() (net.Listener, error) {
	number, err := strconv.Atoi(port)
	if a.listen == nil || err != nil {
		return signin.ListenLoopback(port)
	}
	return func() (net.Listener, error) { return a.listen(number) }
}

// newServiceLookup discovers services at Lieutenant, unless they are overridden.
func (a *Access) newServiceLookup(net network.Network, url string) func(context.Context) (state.SynServices, error) {
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

// OpenVaultClient uses the Vault of the answers, or else the one of Lieutenant.
func (a *Access) OpenVaultClient(net network.Network, spec state.SynSpec) *vault.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.Join([]string{spec.LieutenantURL, spec.VaultAddress, spec.GetVaultMount()}, " ")
	if known := a.vaults[key]; known != nil {
		return known
	}
	if a.vaults == nil {
		a.vaults = map[string]*vault.Client{}
	}
	a.vaults[key] = vault.New(net, vault.Options{
		Address: spec.VaultAddress, Services: lieutenant.New(net, spec.LieutenantURL, nil).Discover,
		Token: a.VaultToken, TokenFile: a.vaultFile, Kubernetes: a.account, Listen: a.newListener(vault.CallbackPort),
		Namespace: a.vaultSpace, Mount: spec.GetVaultMount(),
	})
	return a.vaults[key]
}

// NewGitAccess returns access to Git hosts, with this token unless there is an own one.
func (a *Access) NewGitAccess(token string) catalog.Access {
	access := catalog.Access{Token: token, KnownHosts: a.knownHosts}
	if a.GitToken != nil {
		access.Token = a.GitToken()
	}
	if a.agent != nil {
		access.Agent = func(ctx context.Context) (net.Conn, error) { return a.agent(ctx) }
	}
	return access
}
