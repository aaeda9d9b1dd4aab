package installer

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"

	"github.com/goccy/go-yaml"
)

type inputs struct {
	config   installConfig
	id       clusterID
	files    pki
	password string
	version  string // of OpenShift
}

// channel returns the channel of updates of a new cluster.
func (in inputs) channel() string {
	parts := strings.SplitN(in.version, ".", 3)
	return "stable-" + strings.Join(parts[:min(2, len(parts))], ".")
}

func encode(content []byte) string { return base64.StdEncoding.EncodeToString(content) }

func newNamedObject(apiVersion, kind, namespace, name string, rest object) object {
	meta := object{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	rest["apiVersion"], rest["kind"], rest["metadata"] = apiVersion, kind, meta
	return rest
}

// renderManifests returns the documents of section 1.3 by path in the installer's directory.
func (in inputs) renderManifests() (map[string][]byte, error) {
	strippedConfig, err := in.renderClusterConfig()
	if err != nil {
		return nil, err
	}
	documents := in.buildConfigManifests()
	documents["manifests/cluster-config.yaml"] = newNamedObject("v1", "ConfigMap", "kube-system", "cluster-config-v1",
		object{"data": object{"install-config": string(strippedConfig)}})
	maps.Copy(documents, in.buildSecretManifests())
	maps.Copy(documents, in.buildOptionalManifests())
	written := map[string][]byte{}
	for path, document := range documents {
		if written[path], err = yaml.Marshal(document); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// renderClusterConfig returns the install-config without its secrets.
func (in inputs) renderClusterConfig() ([]byte, error) {
	stripped := in.config
	stripped.PullSecret = ""
	encoded, err := json.Marshal(stripped)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(encoded)
}

func (n networking) buildSpec() object {
	pods := make([]object, len(n.ClusterNetwork))
	for i, network := range n.ClusterNetwork {
		pods[i] = object{"cidr": network.CIDR, "hostPrefix": network.HostPrefix}
	}
	return object{
		"clusterNetwork": pods, "serviceNetwork": n.ServiceNetwork, "networkType": n.NetworkType, "externalIP": object{"policy": object{}},
	}
}

func (in inputs) buildOptionalManifests() map[string]object {
	documents := map[string]object{}
	if bundle := in.config.TrustBundle; bundle != "" {
		documents["manifests/user-ca-bundle-config.yaml"] = newNamedObject("v1", "ConfigMap", "openshift-config", userBundle,
			object{"data": object{"ca-bundle.crt": bundle}})
	}
	if network := in.config.Networking; network.OVN != nil && network.OVN.IPv4 != nil {
		spec := network.buildSpec()
		delete(spec, "networkType")
		delete(spec, "externalIP")
		spec["defaultNetwork"] = object{"type": network.NetworkType, "ovnKubernetesConfig": object{
			"ipv4": object{"internalJoinSubnet": network.OVN.IPv4.InternalJoinSubnet}}}
		documents["manifests/cluster-network-03-config.yml"] = newNamedObject("operator.openshift.io/v1", "Network", "", "cluster", object{"spec": spec})
	}
	return documents
}

// userBundle is the ConfigMap with the additional authorities of the install-config.
const userBundle = "user-ca-bundle"

func (in inputs) buildConfigManifests() map[string]object {
	c, domain := in.config, in.config.clusterDomain()
	cluster := func(kind string, rest object) object {
		return newNamedObject("config.openshift.io/v1", kind, "", "cluster", rest)
	}
	rootCA := string(in.files["root-ca.crt"])
	return map[string]object{
		"manifests/cluster-dns-02-config.yml": cluster("DNS", object{"spec": object{"baseDomain": domain}}),
		"manifests/cluster-infrastructure-02-config.yml": cluster("Infrastructure", object{
			"spec": object{"platformSpec": in.buildPlatform(false)}, "status": in.buildInfrastructure()}),
		"manifests/cluster-ingress-02-config.yml": cluster("Ingress", object{"spec": object{"domain": "apps." + domain}}),
		"manifests/cluster-network-02-config.yml": cluster("Network", object{"spec": c.Networking.buildSpec()}),
		"manifests/cluster-proxy-01-config.yaml":  cluster("Proxy", object{"spec": c.buildProxySpec(), "status": c.buildProxyStatus()}),
		"manifests/cluster-scheduler-02-config.yml": cluster("Scheduler", object{"spec": object{
			"mastersSchedulable": c.computeReplicas() == 0, "policy": object{"name": ""}}}),
		"manifests/cvo-overrides.yaml": newNamedObject("config.openshift.io/v1", "ClusterVersion", "openshift-cluster-version", "version",
			object{"spec": object{"channel": in.channel(), "clusterID": in.id.UUID}}),
		"manifests/kube-cloud-config.yaml": newNamedObject("v1", "ConfigMap", "openshift-config-managed", "kube-cloud-config", object{"data": object{}}),
		"manifests/kube-system-configmap-root-ca.yaml": newNamedObject("v1", "ConfigMap", "kube-system", "root-ca",
			object{"data": object{"ca.crt": rootCA}}),
		"manifests/machine-config-server-ca-configmap.yaml": newNamedObject("v1", "ConfigMap", "openshift-machine-config-operator",
			"machine-config-server-ca", object{"data": object{"ca-bundle.crt": rootCA}}),
	}
}

func (in inputs) buildSecretManifests() map[string]object {
	secret := func(namespace, name, kind string, data object) object {
		return newNamedObject("v1", "Secret", namespace, name, object{"type": kind, "data": data})
	}
	tls := func(pair string) object {
		return object{"tls.crt": encode(in.files[pair+".crt"]), "tls.key": encode(in.files[pair+".key"])}
	}
	userData := func(role string) object {
		return secret("openshift-machine-api", role+"-user-data", "Opaque",
			object{"disableTemplating": encode([]byte("true")), "userData": encode(renderPointer(in.config, in.files, role))})
	}
	const mco = "openshift-machine-config-operator"
	return map[string]object{
		"manifests/machine-config-server-ca-secret.yaml":                  secret(mco, "machine-config-server-ca", "kubernetes.io/tls", tls("root-ca")),
		"manifests/machine-config-server-tls-secret.yaml":                 secret(mco, "machine-config-server-tls", "kubernetes.io/tls", tls("machine-config-server")),
		"openshift/99_openshift-cluster-api_master-user-data-secret.yaml": userData("master"),
		"openshift/99_openshift-cluster-api_worker-user-data-secret.yaml": userData("worker"),
		"openshift/99_openshift-machineconfig_99-master-ssh.yaml":         in.buildSSHMachineConfig("master"),
		"openshift/99_openshift-machineconfig_99-worker-ssh.yaml":         in.buildSSHMachineConfig("worker"),
		"manifests/openshift-config-secret-pull-secret.yaml": secret("openshift-config", "pull-secret", "kubernetes.io/dockerconfigjson",
			object{".dockerconfigjson": encode([]byte(in.config.PullSecret))}),
		// The real manifest contains a bcrypt hash; it is not used for a login here.
		"openshift/99_kubeadmin-password-secret.yaml": secret("kube-system", "kubeadmin", "Opaque",
			object{"kubeadmin": encode([]byte(hashWords("kubeadmin", in.password)))}),
	}
}

func (in inputs) buildSSHMachineConfig(role string) object {
	document := newNamedObject("machineconfiguration.openshift.io/v1", "MachineConfig", "", "99-"+role+"-ssh", object{"spec": object{
		"config": object{"ignition": object{"version": "3.2.0"}, "passwd": object{"users": []object{
			{"name": "core", "sshAuthorizedKeys": []string{in.config.SSHKey}}}}}}})
	document["metadata"].(object)["labels"] = object{"machineconfiguration.openshift.io/role": role}
	return document
}

// buildPlatform describes the platform; for the status with the state of the cloud controller.
func (in inputs) buildPlatform(status bool) object {
	external := in.config.Platform.External
	if external == nil {
		return object{"type": "None"}
	}
	details := object{}
	if status && external.CloudControllerManager == "External" {
		details["cloudControllerManager"] = object{"state": "External"}
	} else if !status {
		details["platformName"] = defaultTo(external.PlatformName, "Unknown")
	}
	return object{"type": "External", "external": details}
}

func (in inputs) buildInfrastructure() object {
	domain := in.config.clusterDomain()
	topology := func(replicas int) string {
		if replicas == 1 {
			return "SingleReplica"
		}
		return "HighlyAvailable"
	}
	controlPlane := topology(*in.config.ControlPlane.Replicas)
	compute := topology(in.config.computeReplicas())
	if in.config.computeReplicas() == 0 {
		compute = controlPlane
	}
	return object{
		"apiServerURL":           "https://api." + domain + ":6443",
		"apiServerInternalURI":   "https://api-int." + domain + ":6443",
		"controlPlaneTopology":   controlPlane,
		"infrastructureTopology": compute,
		"infrastructureName":     in.id.InfraID,
		"etcdDiscoveryDomain":    "",
		"platform":               in.buildPlatform(true)["type"],
		"platformStatus":         in.buildPlatform(true),
		"cpuPartitioning":        "None",
	}
}
