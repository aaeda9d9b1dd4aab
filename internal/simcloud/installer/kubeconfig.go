package installer

import "github.com/goccy/go-yaml"

type object = map[string]any

func renderKubeconfig(cluster, host, user string, authority, certificate, key []byte) ([]byte, error) {
	return yaml.Marshal(object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"preferences":     object{},
		"current-context": user,
		"clusters": []object{{"name": cluster, "cluster": object{
			"server": "https://" + host + ":6443", "certificate-authority-data": encode(authority)}}},
		"contexts": []object{{"name": user, "context": object{"cluster": cluster, "user": user}}},
		"users": []object{{"name": user, "user": object{
			"client-certificate-data": encode(certificate), "client-key-data": encode(key)}}},
	})
}

// renderKubeconfigs returns the generated kubeconfigs, by path below /opt/openshift, and the administrator's.
func renderKubeconfigs(config installConfig, files pki) (admin []byte, onBootstrap map[string][]byte, err error) {
	name, bundle := config.Metadata.Name, files["kube-apiserver-complete-server-ca-bundle.crt"]
	build := func(host, user, pair string) []byte {
		var content []byte
		if err == nil {
			content, err = renderKubeconfig(name, host, user, bundle, files[pair+".crt"], files[pair+".key"])
		}
		return content
	}
	onBootstrap = map[string][]byte{
		"auth/kubeconfig":          build("api-int."+config.clusterDomain(), "admin", "admin-kubeconfig-client"),
		"auth/kubeconfig-loopback": build("localhost", "loopback", "admin-kubeconfig-client"),
		"auth/kubeconfig-kubelet":  build("api-int."+config.clusterDomain(), "kubelet", "kubelet-client"),
	}
	return build("api."+config.clusterDomain(), "admin", "admin-kubeconfig-client"), onBootstrap, err
}
