package generation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"
)

type config struct {
	APIVersion  string            `json:"apiVersion"`
	Metadata    map[string]string `json:"metadata"`
	BaseDomain  string            `json:"baseDomain"`
	Platform    map[string]any    `json:"platform"`
	Networking  networking        `json:"networking"`
	Control     pool              `json:"controlPlane"`
	Compute     []pool            `json:"compute"`
	Proxy       map[string]string `json:"proxy,omitempty"`
	TrustBundle string            `json:"additionalTrustBundle,omitempty"`
	TrustPolicy string            `json:"additionalTrustBundlePolicy,omitempty"`
	Sources     []imageSource     `json:"imageDigestSources,omitempty"`
	Features    *capabilities     `json:"capabilities,omitempty"`
	FIPS        bool              `json:"fips,omitempty"`
	PullSecret  string            `json:"pullSecret"`
	SSHKey      string            `json:"sshKey"`
}

type networking struct {
	NetworkType    string           `json:"networkType"`
	MachineNetwork []map[string]any `json:"machineNetwork"`
	ClusterNetwork []map[string]any `json:"clusterNetwork"`
	ServiceNetwork []string         `json:"serviceNetwork"`
}

type imageSource struct {
	Source  string   `json:"source"`
	Mirrors []string `json:"mirrors"`
}

type capabilities struct {
	Baseline   string   `json:"baselineCapabilitySet,omitempty"`
	Additional []string `json:"additionalEnabledCapabilities,omitempty"`
}

type pool struct {
	Name           string `json:"name"`
	Replicas       int    `json:"replicas"`
	Hyperthreading string `json:"hyperthreading"`
}

const (
	okd = "okd"
	// okdPullSecret is what OKD's documentation recommends: the program requires one, and OKD's images are public.
	okdPullSecret = `{"auths":{"fake":{"auth":"aWQ6cGFzcwo="}}}`
	// trustAlways makes the nodes trust a bundle in any case. By default (Proxyonly) they do so only behind a proxy, and
	// a bundle without a proxy would have no effect.
	trustAlways = "Always"
)

// The number of compute replicas creates no machines on this platform; it keeps the masters unschedulable and the
// infrastructure highly available. The addresses are those of the cluster that are known already.
func buildInstallConfig(spec state.Spec, sshKeys, pullSecret string, addresses ...string) ([]byte, error) {
	bundle, err := readTrustBundle(spec.OpenShift.TrustBundle)
	if err != nil {
		return nil, err
	}
	masters := spec.Sizing.ControlPlane.Count
	document := config{
		APIVersion: "v1",
		Metadata:   map[string]string{"name": spec.Cluster.ID},
		BaseDomain: spec.Cluster.BaseDomain,
		Platform: map[string]any{"external": map[string]string{
			"platformName": "exoscale", "cloudControllerManager": spec.OpenShift.CloudControllerManager,
		}},
		Networking: networking{
			NetworkType:    spec.Network.CNI,
			MachineNetwork: []map[string]any{{"cidr": spec.Network.NodeCIDR}},
			ClusterNetwork: []map[string]any{{"cidr": spec.Network.PodCIDR, "hostPrefix": spec.Network.HostPrefix}},
			ServiceNetwork: []string{spec.Network.ServiceCIDR},
		},
		Control:     pool{Name: "master", Replicas: masters, Hyperthreading: "Enabled"},
		Compute:     []pool{{Name: "worker", Replicas: len(spec.Nodes()) - masters, Hyperthreading: "Enabled"}},
		Proxy:       buildProxyConfig(spec, addresses),
		Sources:     listImageSources(spec.OpenShift.ImageDigestSources),
		Features:    toCapabilities(spec.OpenShift.Capabilities),
		TrustBundle: bundle,
		FIPS:        spec.OpenShift.FIPS,
		PullSecret:  pullSecret,
		SSHKey:      sshKeys,
	}
	if bundle != "" {
		document.TrustPolicy = trustAlways
	}
	if pullSecret == "" && spec.OpenShift.Distribution == okd {
		document.PullSecret = okdPullSecret
	}
	// Rendered by the library that openshift-install parses it with: others leave a text like 1e3 unquoted, which it
	// parses as a number.
	rendered, err := yaml.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("render install-config.yaml: %w", err)
	}
	return rendered, nil
}

func buildProxyConfig(spec state.Spec, addresses []string) map[string]string {
	fields, p := map[string]string{}, spec.OpenShift.Proxy
	for key, value := range map[string]string{"httpProxy": p.HTTP, "httpsProxy": p.HTTPS, "noProxy": p.NoProxy} {
		if value != "" {
			fields[key] = value
		}
	}
	if len(fields) > 0 && p.NoProxy != "*" {
		fields["noProxy"] = JoinNoProxy(spec, addresses...)
	}
	return fields
}

// JoinNoProxy returns what is to be reached without the proxy: as answered, and the names and the addresses of the cluster itself.
// OpenShift adds the ranges of pods, services and machines; the addresses of the nodes are added once they are known.
func JoinNoProxy(spec state.Spec, addresses ...string) string {
	parts := strings.FieldsFunc(spec.OpenShift.Proxy.NoProxy, func(r rune) bool { return r == ',' })
	for _, own := range append([]string{"." + spec.Domain()}, addresses...) {
		if own != "" && !slices.Contains(parts, own) {
			parts = append(parts, own)
		}
	}
	return strings.Join(parts, ",")
}

func listImageSources(sources map[string]string) []imageSource {
	var list []imageSource
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		list = append(list, imageSource{Source: source, Mirrors: strings.Fields(sources[source])})
	}
	return list
}

func toCapabilities(wanted state.CapabilitiesSpec) *capabilities {
	if wanted.Baseline == "" && len(wanted.Additional) == 0 {
		return nil
	}
	return &capabilities{Baseline: wanted.Baseline, Additional: wanted.Additional}
}

func readTrustBundle(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	content, err := fileread.Text(path, fileread.Small)
	if err != nil {
		return "", fault.New(fault.Invalid, "read the trust bundle", err).WithHint("correct openshift.trustBundle in the answers file").WithField("openshift.trustBundle")
	}
	// openshift-install rejects a trailing empty line as an invalid certificate.
	return strings.TrimSpace(string(content)) + "\n", nil
}

func listSSHKeys(spec state.Spec, facts state.Facts) string {
	keys := spec.OpenShift.SSHKey
	if kept := facts.Syn.SSHPublicKey; kept != "" && kept != keys {
		keys += "\n" + kept
	}
	return keys
}
