package kubeapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"

	"exoshift/internal/fileread"

	"k8s.io/apimachinery/pkg/runtime"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clientcmdlatest "k8s.io/client-go/tools/clientcmd/api/latest"
)

// Kubeconfig is what the current context of a kubeconfig says.
type Kubeconfig struct {
	Server           string // URL
	ServerName       string // in the server's certificate; empty: the host of Server
	Insecure         bool   // says that no server is verified, which is refused
	Authority        []byte // PEM
	Certificate, Key []byte // of the client, PEM
	Token            string
	Impersonates     string // another user
}

// LoadKubeconfig reads all that a kubeconfig has. Unlike ParseKubeconfig, it checks nothing but its form.
func LoadKubeconfig(content []byte) (*clientcmdapi.Config, error) {
	config := clientcmdapi.NewConfig()
	if len(content) == 0 {
		return config, nil
	}
	kind := clientcmdapi.SchemeGroupVersion.WithKind("Config")
	kind.Version = clientcmdlatest.Version
	if _, _, err := clientcmdlatest.Codec.Decode(content, &kind, config); err != nil {
		return nil, err
	}
	return config, nil
}

// WriteKubeconfig returns a kubeconfig as YAML.
func WriteKubeconfig(config *clientcmdapi.Config) ([]byte, error) {
	return runtime.Encode(clientcmdlatest.Codec, config)
}

// ParseKubeconfig reads a kubeconfig that embeds everything that it needs. One that refers to files is refused: whatever is at their
// paths would be sent as a token. Programs that it names are not run.
func ParseKubeconfig(content []byte) (Kubeconfig, error) {
	if err := fileread.CheckNesting(content); err != nil {
		return Kubeconfig{}, err
	}
	config, err := LoadKubeconfig(content)
	if err != nil {
		return Kubeconfig{}, err
	}
	current := config.Contexts[config.CurrentContext]
	if current == nil {
		return Kubeconfig{}, fmt.Errorf("it has no context %q, which it says is the current one", config.CurrentContext)
	}
	cluster, user := config.Clusters[current.Cluster], config.AuthInfos[current.AuthInfo]
	switch {
	case cluster == nil:
		return Kubeconfig{}, fmt.Errorf("it has no cluster %q", current.Cluster)
	case cluster.Server == "":
		return Kubeconfig{}, fmt.Errorf("its cluster %q has no server", current.Cluster)
	case user == nil && current.AuthInfo != "":
		return Kubeconfig{}, fmt.Errorf("it has no user %q", current.AuthInfo)
	case user == nil:
		user = clientcmdapi.NewAuthInfo()
	}
	return Kubeconfig{
		Server: cluster.Server, ServerName: cluster.TLSServerName, Insecure: cluster.InsecureSkipTLSVerify, Authority: cluster.CertificateAuthorityData,
		Certificate: user.ClientCertificateData, Key: user.ClientKeyData, Token: user.Token, Impersonates: user.Impersonate,
	}, checkEmbedded(cluster, user)
}

// CheckKubeconfig returns an error unless a client can be made of a kubeconfig.
func CheckKubeconfig(content []byte) error {
	config, err := ParseKubeconfig(content)
	if err != nil {
		return err
	}
	address, err := url.Parse(config.Server)
	if err != nil {
		return err
	}
	if err := checkTrust(config, address); err != nil {
		return err
	}
	_, err = config.newTLSConfig()
	return err
}

func checkEmbedded(cluster *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) error {
	files := map[string]string{
		"certificate-authority": cluster.CertificateAuthority,
		"tokenFile":             user.TokenFile, "client-certificate": user.ClientCertificate, "client-key": user.ClientKey,
	}
	for field, path := range files {
		if path != "" {
			return fmt.Errorf("it refers to a file by %s, and does not embed it", field)
		}
	}
	return nil
}

// newTLSConfig trusts the authority of the kubeconfig alone, and has its client certificate, if there is one.
func (k Kubeconfig) newTLSConfig() (*tls.Config, error) {
	roots := x509.NewCertPool()
	if len(k.Authority) > 0 && !roots.AppendCertsFromPEM(k.Authority) {
		return nil, errors.New("its certificate authority is not a certificate")
	}
	made := &tls.Config{RootCAs: roots, ServerName: k.ServerName, MinVersion: tls.VersionTLS12}
	if len(k.Certificate) == 0 && len(k.Key) == 0 {
		return made, nil
	}
	certificate, err := tls.X509KeyPair(k.Certificate, k.Key)
	if err != nil {
		return nil, err
	}
	// The certificate is sent whatever authorities the server names: some name fewer than they accept.
	made.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
	return made, nil
}
