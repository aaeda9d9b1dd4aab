package adminaccess

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	accountNamespace                      = "kube-system"
	accounts         kubeapi.ResourcePath = "v1/serviceaccounts@" + accountNamespace
	bindings         kubeapi.ResourcePath = "rbac.authorization.k8s.io/v1/clusterrolebindings"
)

// The service accounts whose tokens let administrators in: one whose tokens people get, and one that lasts as long as a rotation.
const (
	PeopleAccount   = "exoshift-admin"
	RotationAccount = "exoshift-rotation"
)

// Access is a kubeconfig with a token.
type Access struct {
	Kubeconfig []byte
	Expires    time.Time // as the API has decided
}

// NewTokenAccess returns a kubeconfig with a token for a while, of a service account with all permissions, which is made unless it is there. The
// token ends earlier if the account is deleted. The API may choose another time.
func (c *Changer) NewTokenAccess(ctx context.Context, account string, validity time.Duration) (Access, error) {
	const op = "request a token"
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return Access{}, err
	}
	if err := ensureAccount(ctx, api, account); err != nil {
		return Access{}, err
	}
	answer, err := api.Request(ctx, accounts, map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": map[string]any{"name": account, "namespace": accountNamespace},
		"spec": map[string]any{"expirationSeconds": int64(validity.Seconds())},
	}, "token")
	if err != nil {
		return Access{}, kubeapi.RedactMessage(api.ToFault(ctx, op, err))
	}
	var issued struct {
		Status struct {
			Token   string      `json:"token"`
			Expires metav1.Time `json:"expirationTimestamp"`
		} `json:"status"`
	}
	content, err := json.Marshal(answer.Object)
	if err == nil {
		err = json.Unmarshal(content, &issued)
	}
	if err != nil || issued.Status.Token == "" {
		return Access{}, fault.Newf(fault.Internal, op, "the response has no token")
	}
	authority, err := c.connector.ReadAuthorities()
	if err != nil {
		return Access{}, err
	}
	made, err := buildTokenKubeconfig(api.Address.String(), authority, account, issued.Status.Token)
	return Access{Kubeconfig: made, Expires: issued.Status.Expires.Time}, err
}

func buildTokenKubeconfig(server string, authority []byte, account, token string) ([]byte, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["cluster"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: authority}
	config.AuthInfos[account] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[account] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: account}
	config.CurrentContext = account
	return kubeapi.WriteKubeconfig(config)
}

func ensureAccount(ctx context.Context, api *kubeapi.Client, account string) error {
	metadata := map[string]any{"name": account, "annotations": map[string]any{kubeapi.CreatedAnnotation: "true"}}
	for _, object := range []struct {
		where   kubeapi.ResourcePath
		content map[string]any
	}{
		{accounts, map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}},
		{bindings, map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": metadata,
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": accountNamespace, "name": account}},
		}},
	} {
		_, err := api.Create(ctx, object.where, object.content)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return api.ToFault(ctx, "create "+object.where.String()+" "+account, err)
		}
	}
	return nil
}

// EndTokenAccess deletes a service account, with which all of its tokens end: state.Found if there is none.
func (c *Changer) EndTokenAccess(ctx context.Context, account string) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	action := state.Found
	for _, where := range []kubeapi.ResourcePath{bindings, accounts} {
		err := api.Delete(ctx, where, account, metav1.DeleteOptions{})
		switch {
		case err == nil:
			action = state.Deleted
		case !apierrors.IsNotFound(err):
			return "", api.ToFault(ctx, "delete "+where.String()+" "+account, err)
		}
	}
	return action, nil
}

// connectToken connects by a kubeconfig that NewTokenAccess has made, and trusts public authorities, too, as the administrator's does.
func (c *Changer) connectToken(kubeconfig []byte) (*kubeapi.Client, error) {
	config, err := kubeapi.ParseKubeconfig(kubeconfig)
	if err != nil {
		return nil, fault.New(fault.Internal, "use a token", errors.New("it is not a kubeconfig"))
	}
	address, err := url.Parse(config.Server)
	if err != nil {
		return nil, fault.New(fault.Internal, "use a token", err)
	}
	roots, err := kubeapi.LoadPublicRoots(c.connector.Network)
	if err != nil {
		return nil, err
	}
	roots.AppendCertsFromPEM(config.Authority)
	return c.connector.ConnectToken(address, roots, config.Token), nil
}
