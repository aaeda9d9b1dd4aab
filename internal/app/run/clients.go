package run

import (
	"context"
	"os"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/zoneimage"
	"exoshift/internal/network"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/provisioner/remoterun"
	"exoshift/provisioner/syn/catalog"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

// Clients are the clients of the recipe on the network of a run, including read-only variants.
type Clients struct {
	install.Clients
	cloud   *exoscale.Client
	storage *objects.Client
	vault   *vault.Client // nil: the cluster is not connected
}

// ReadOnly returns clients that change nothing.
func (w Clients) ReadOnly() install.Clients {
	w.Cloud, w.Objects = w.cloud.WithPreview(), w.storage.WithPreview()
	if w.Syn != nil {
		looking := *w.Syn
		looking.Vault = w.vault.Preview()
		w.Syn = &looking
	}
	return w.Clients
}

// OpenClients returns the clients of the recipe. log is given the output of openshift-install.
func (r Run) OpenClients(journal state.Recorder, log func(line string)) (w Clients, disconnect func(), err error) {
	zone, key, secret := r.Spec.Exoscale.Zone, r.Secrets.APIKey, r.Secrets.APISecret
	if w.cloud, err = exoscale.New(r.Net, zone, key, secret, journal); err != nil {
		return w, nil, err
	}
	if w.storage, err = objects.New(r.Net, zone, key, secret, journal); err != nil {
		return w, nil, err
	}
	w.storage = w.storage.WithOwner(r.Spec.Cluster.ID)
	installer := release.New(r.Net, r.installerOptions(), log)
	cluster := openshift.NewCluster(r.Net, r.ReadKubeconfig)
	polled := openshift.NewCluster(r.Net, r.ReadKubeconfig) // by another connection: approvals are about what was polled last by theirs
	host := bootstraphost.New(r.Net, r.ReadInstallFile, r.Spec.OpenShift.SSHKey, r.Agent)
	w.Clients = install.Clients{
		Cloud:     w.cloud,
		Objects:   w.storage,
		Installer: installer,
		Images:    download.New(r.Net, log),
		Cluster:   cluster,
		Authority: cluster.NodeAuthority,
		Balancers: host,
		Roll:      &balancers.Clients{Cloud: w.cloud, Cluster: polled, Outside: NewOutside(r.Net, host, r.ReadKubeconfig), Clock: r.Net.Clock},
		Names:     nameServers{network.NewNameServers(r.Net)},
		Clock:     r.Net.Clock,
		Reach:     r.newKeptReachability(),
	}
	if r.Options.BootstrapAccess {
		w.Bootstrap, w.BootLogs = host, host
	}
	if w.ImageCopier, err = r.newImageCopier(w.storage); err != nil {
		return w, nil, err
	}
	if w.Syn = r.newSynClients(cluster); w.Syn != nil {
		w.vault = r.Access.OpenVaultClient(r.Net, r.Spec.Syn)
	}
	return w, func() { w.cloud.Close(); w.storage.Close(); cluster.Close(); polled.Close(); host.Close() }, nil
}

// newImageCopier fails at once if an image is to be copied by machines on which this program cannot run. Without a place for the
// records of machines it returns nil.
func (r Run) newImageCopier(storage *objects.Client) (nodeimage.Copier, error) {
	dir, err := connectivity.RunsPath(r.Folder, r.Locations.Rehearsal)
	if _, notHere := remoterun.NewSelfProgram(); err == nil {
		err = notHere
	}
	switch {
	case err != nil && r.Options.ImageFromZone:
		return nil, exit.WithCode(exit.Usage, err)
	case err != nil:
		return nil, nil
	}
	return zoneimage.New(zoneimage.Options{Network: r.Net, Spec: r.Spec, Secrets: r.Secrets, Objects: storage, Dir: dir}), nil
}

func (r Run) installerOptions() release.Choice {
	choice := release.Choice{
		Distribution: r.Spec.OpenShift.Distribution, Version: r.Spec.OpenShift.Version,
		Program: r.Options.Installer, Cache: r.Cache, FIPS: r.Spec.OpenShift.FIPS, HostFIPS: release.LinuxFIPS,
	}
	if r.Locations.Rehearsal {
		choice.HostFIPS = ""
	}
	return choice
}

type nameServers struct{ network.NameServers }

// LookupNameServers returns the delegation of a domain in its parent zone.
func (n nameServers) LookupNameServers(ctx context.Context, domain string) (parent string, servers []string, err error) {
	delegation, err := n.FindDelegation(ctx, domain)
	return delegation.Parent, delegation.Servers, err
}

// ReadKubeconfig reads the administrator's kubeconfig from the folder.
func (r Run) ReadKubeconfig() ([]byte, error) {
	return r.ReadInstallFile("auth/kubeconfig")
}

// ReadInstallFile reads a file that openshift-install wrote.
func (r Run) ReadInstallFile(name string) ([]byte, error) {
	return r.Folder.Read(state.InstallDir + "/" + name)
}

// NewReachability returns the connectivity checks of the preflight.
func (r Run) NewReachability() connectivity.Reachability {
	checks := connectivity.NewReachability(r.Net, r.Spec, r.Secrets, r.formatCheckCommand())
	checks.Rehearsed = r.Locations.Rehearsal
	return checks
}

// newKeptReachability also writes the report of the checks to the folder.
func (r Run) newKeptReachability() connectivity.Reachability {
	checks := r.NewReachability()
	checks.Keep = func(report []byte) error { return r.Folder.Write(state.ChecksFile, report) }
	return checks
}

// formatCheckCommand includes the flags of a rehearsal.
func (r Run) formatCheckCommand() string {
	words := []string{"exoshift", "check"}
	if r.Scenario != "" {
		words = append(words, "--simulate", "--scenario", r.Scenario)
	}
	switch {
	case r.Options.Answers != "":
		words = append(words, "--answers", r.Options.Answers)
	case r.Locations.Folder != "" && !r.Temporary && !r.Private:
		words = append(words, "--answers", r.Folder.Path(state.AnswersFile))
	default:
		words = append(words, "--zone", r.Spec.Exoscale.Zone)
	}
	return shellescape.QuoteCommand(words)
}

// newSynClients returns nil if the cluster is not connected.
func (r Run) newSynClients(cluster *openshift.Cluster) *syn.Clients {
	if r.Spec.Syn.LieutenantURL == "" || r.Access == nil {
		return nil
	}
	git := r.Access.NewGitAccess(r.Secrets.GitToken)
	return &syn.Clients{
		Lieutenant: r.Access.NewLieutenantClient(r.Net, r.Spec.Syn.LieutenantURL),
		Vault:      r.Access.OpenVaultClient(r.Net, r.Spec.Syn),
		Git:        catalog.NewGit(r.Net, git),
		Compiler:   catalog.NewCompiler(r.Net, git, r.findCommodore()),
		Cluster:    cluster,
	}
}

func (r Run) findCommodore() catalog.Commodore {
	local := catalog.Commodore{Program: r.Access.Commodore, API: r.Spec.Syn.LieutenantURL}
	local.Token = r.Access.OpenTokenSource(r.Net, r.Spec.Syn.LieutenantURL).Token
	for _, name := range []string{"PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"} {
		if value, set := os.LookupEnv(name); set {
			local.Environment = append(local.Environment, name+"="+value)
		}
	}
	local.Release = parseMinorRelease(r.Folder, r.Spec)
	return local
}

// parseMinorRelease returns e.g. 4.21, of a channel or of a version.
func parseMinorRelease(folder state.Folder, spec state.Spec) string {
	version := spec.OpenShift.Version
	if facts, err := folder.LoadFacts(); err == nil && facts.Version() != "" {
		version = facts.Version()
	}
	if _, number, channel := strings.Cut(version, "-"); channel && !strings.Contains(version[:1], "4") {
		version = number
	}
	numbers := strings.SplitN(version, ".", 3)
	return strings.Join(numbers[:min(len(numbers), 2)], ".")
}
