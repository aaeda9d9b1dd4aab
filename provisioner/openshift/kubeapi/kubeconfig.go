package kubeapi

import (
	"fmt"
	"net/url"

	"exoshift/internal/fileread"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ParseKubeconfig reads a kubeconfig that embeds everything that it needs. One that refers to files is refused: client-go would
// read whatever is at their paths, and send it as a token.
func ParseKubeconfig(content []byte) (*rest.Config, error) {
	if err := fileread.CheckNesting(content); err != nil {
		return nil, err
	}
	config, err := clientcmd.Load(content)
	if err != nil {
		return nil, err
	}
	if err := checkEmbedded(config); err != nil {
		return nil, err
	}
	return clientcmd.NewDefaultClientConfig(*config, &clientcmd.ConfigOverrides{}).ClientConfig()
}

// CheckKubeconfig returns an error unless a client can be made of a kubeconfig.
func CheckKubeconfig(content []byte) error {
	config, err := ParseKubeconfig(content)
	if err != nil {
		return err
	}
	address, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	if err := checkTrust(config, address); err != nil {
		return err
	}
	_, err = rest.TLSConfigFor(config)
	return err
}

// checkEmbedded checks what the current context uses.
func checkEmbedded(config *clientcmdapi.Config) error {
	current := config.Contexts[config.CurrentContext]
	if current == nil {
		return nil
	}
	files := map[string]string{}
	if cluster := config.Clusters[current.Cluster]; cluster != nil {
		files["certificate-authority"] = cluster.CertificateAuthority
	}
	if user := config.AuthInfos[current.AuthInfo]; user != nil {
		files["tokenFile"], files["client-certificate"], files["client-key"] = user.TokenFile, user.ClientCertificate, user.ClientKey
	}
	for field, path := range files {
		if path != "" {
			return fmt.Errorf("it refers to a file by %s, and does not embed it", field)
		}
	}
	return nil
}
