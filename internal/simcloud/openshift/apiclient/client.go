// Package apiclient is a client of the API of a simulated cluster, as programs on its machines use it.
package apiclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
)

// Paths of resources.
const (
	CSRPath      = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	NodesPath    = "/api/v1/nodes"
	OperatorPath = "/apis/operator.openshift.io/v1/"
)

// Client calls the API from a machine, over its network, and trusts only what its kubeconfig names.
type Client struct {
	Server  string
	token   string
	http    *http.Client
	timeout time.Duration
}

// kubeconfig has the fields that a client needs; it has one cluster and one user.
type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server    string `yaml:"server"`
			Authority string `yaml:"certificate-authority-data"`
		} `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		User struct {
			Certificate string `yaml:"client-certificate-data"`
			Key         string `yaml:"client-key-data"`
		} `yaml:"user"`
	} `yaml:"users"`
}

// Access is how a client reaches and authenticates at an API.
type Access struct {
	Server           string
	Authority        []byte
	Certificate, Key []byte // of the user; without them, the token authenticates
	Token            string
}

// ParseKubeconfig reads the first cluster and the first user of a kubeconfig.
func ParseKubeconfig(content []byte) (Access, error) {
	var config kubeconfig
	if err := yaml.Unmarshal(content, &config); err != nil {
		return Access{}, err
	}
	if len(config.Clusters) == 0 || len(config.Users) == 0 {
		return Access{}, errors.New("the kubeconfig names no cluster or no user")
	}
	opened := Access{Server: config.Clusters[0].Cluster.Server}
	for _, part := range []struct {
		into *[]byte
		from string
	}{
		{&opened.Authority, config.Clusters[0].Cluster.Authority},
		{&opened.Certificate, config.Users[0].User.Certificate},
		{&opened.Key, config.Users[0].User.Key},
	} {
		decoded, err := base64.StdEncoding.DecodeString(part.from)
		if err != nil {
			return Access{}, fmt.Errorf("kubeconfig: %w", err)
		}
		*part.into = decoded
	}
	return opened, nil
}

// clientIdle is how long an idle connection is kept, as by client-go: longer than the interval of a kubelet's requests.
const clientIdle = 90 * time.Second

// clientBuffer is small, in bytes: there may be a thousand clients, mostly idle.
const clientBuffer = 1 << 10

// New returns a client on a machine's network; its requests time out after timeout, in wall-clock time.
func New(m machine.Machine, a Access, timeout time.Duration) (*Client, error) {
	var own []tls.Certificate
	if len(a.Certificate) > 0 {
		pair, err := tls.X509KeyPair(a.Certificate, a.Key)
		if err != nil {
			return nil, err
		}
		own = append(own, pair)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(a.Authority) {
		return nil, errors.New("the kubeconfig holds no certificate authority")
	}
	transport := m.Network().NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, Certificates: own, MinVersion: tls.VersionTLS12,
		CurvePreferences: []tls.CurveID{tls.CurveP256}}
	transport.MaxIdleConnsPerHost, transport.IdleConnTimeout = 1, clientIdle
	transport.ReadBufferSize, transport.WriteBufferSize = clientBuffer, clientBuffer
	return &Client{Server: a.Server, token: a.Token, http: &http.Client{Transport: transport}, timeout: timeout}, nil
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

type answerError struct {
	code    int
	message string
}

func (e answerError) Error() string { return fmt.Sprintf("%d: %s", e.code, e.message) }

// IsCode reports whether the API answered with a status code.
func IsCode(err error, code int) bool {
	var answer answerError
	return errors.As(err, &answer) && answer.code == code
}

// patchType returns the patch type for a path: strategic merge only for built-in kinds, whose lists the API server can merge.
func patchType(path string) string {
	if strings.HasPrefix(path, "/api/v1/") {
		return "application/strategic-merge-patch+json"
	}
	return "application/merge-patch+json"
}

// Do sends an object; a patch is of the type that fits the path.
func (c *Client) Do(ctx context.Context, method, path string, body kube.Object) (kube.Object, error) {
	media := "application/json"
	if method == http.MethodPatch {
		media = patchType(path)
	}
	return c.send(ctx, method, path, media, body)
}

// Apply applies an object by server-side apply with force.
func (c *Client) Apply(ctx context.Context, collection, manager string, object kube.Object) error {
	path := collection + "/" + object.Name() + "?force=true&fieldManager=" + manager
	_, err := c.send(ctx, http.MethodPatch, path, "application/apply-patch+yaml", object)
	return err
}

func (c *Client) send(ctx context.Context, method, path, media string, body kube.Object) (kube.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Server+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", media)
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	object, _ := kube.DecodeTrusted(answer) // health checks respond in plain text
	if response.StatusCode >= http.StatusBadRequest {
		return nil, answerError{response.StatusCode, object.GetString("message")}
	}
	return object, nil
}

// Get returns an object or a list.
func (c *Client) Get(ctx context.Context, path string) (kube.Object, error) {
	return c.Do(ctx, http.MethodGet, path, nil)
}

// FormatResourcePath returns the path of a resource of the core group.
func FormatResourcePath(namespace, resource string) string {
	return "/api/v1/namespaces/" + namespace + "/" + resource
}
