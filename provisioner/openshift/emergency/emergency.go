// Package emergency verifies emergency accesses to a cluster, and revokes the kubeconfig of its first administrator.
package emergency

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"net/url"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	namespaces        kubeapi.ResourcePath = "v1/namespaces"
	selfReviews       kubeapi.ResourcePath = "authentication.k8s.io/v1/selfsubjectreviews"
	accessReviews     kubeapi.ResourcePath = "authorization.k8s.io/v1/selfsubjectaccessreviews"
	emergencyAccounts kubeapi.ResourcePath = "cluster.appuio.io/v1beta1/emergencyaccounts@appuio-emergency-credentials-controller"
)

// emergencyUser is the prefix of the user name of every emergency credential; the account's name follows.
const emergencyUser = "system:serviceaccount:appuio-emergency-credentials-controller:"

const emergencyOp = "verify the emergency access"

// Emergency describes a verified emergency access, for when everything else fails.
type Emergency struct {
	User      string    // user name in the API
	Account   string    // name of the EmergencyAccount
	TokenMade time.Time // when the newest token of the account was created
}

// Verifier verifies emergency accesses to the cluster, and revokes the administrator's.
type Verifier struct{ connector *kubeapi.Connector }

// New returns a verifier for the connector's cluster.
func New(connector *kubeapi.Connector) *Verifier { return &Verifier{connector} }

// VerifyEmergency verifies that an emergency kubeconfig can be relied on: the server is verified and is this cluster's API, the
// user is that of an emergency account, it may do everything, and its tokens were created since this cluster exists. It changes
// nothing. fault.Invalid: it is another cluster's, or verifies no server; fault.Denied: the API refuses it; fault.Transient: the
// API does not answer, or no token was created yet.
func (v *Verifier) VerifyEmergency(ctx context.Context, kubeconfig []byte) (Emergency, error) {
	access, err := v.openEmergency(ctx, kubeconfig)
	if err != nil {
		return Emergency{}, err
	}
	defer access.Close()
	return verifyEmergency(ctx, access)
}

// openEmergency also verifies, as long as the administrator has access, that the kubeconfig is of this very cluster.
func (v *Verifier) openEmergency(ctx context.Context, kubeconfig []byte) (*kubeapi.Client, error) {
	admin, err := v.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	access, err := v.connectEmergency(kubeconfig, admin)
	if err != nil {
		return nil, err
	}
	theirs, _, err := kubeapi.Get[identity](ctx, access, namespaces, "kube-system")
	if err != nil {
		return nil, toEmergencyFault(err)
	}
	ours, _, err := kubeapi.Get[identity](ctx, admin, namespaces, "kube-system")
	switch {
	case fault.Is(err, fault.Denied):
		return access, nil
	case err != nil:
		return nil, err
	case ours.Metadata.UID != theirs.Metadata.UID:
		return nil, fault.Newf(fault.Invalid, emergencyOp, "it is for another cluster with this name").WithHint(fetchEmergency)
	}
	return access, nil
}

func toEmergencyFault(err error) error {
	if fault.Is(err, fault.Denied) {
		return fault.New(fault.Denied, emergencyOp, errors.New("the API rejects it")).
			WithHint("fetch the emergency credentials again: their tokens expire")
	}
	if fault.Is(err, fault.Transient) {
		return fault.New(fault.Transient, emergencyOp, err).WithHint("check that this machine reaches the cluster's API, then run again: nothing was changed")
	}
	return err
}

type identity struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
}

func verifyEmergency(ctx context.Context, api *kubeapi.Client) (Emergency, error) {
	user, err := getUser(ctx, api)
	if err != nil {
		return Emergency{}, toEmergencyFault(err)
	}
	account, found := strings.CutPrefix(user, emergencyUser)
	if !found || len(validation.IsDNS1123Subdomain(account)) > 0 {
		return Emergency{}, fault.Newf(fault.Invalid, emergencyOp, "its user %q is not an emergency account", kubeapi.Sanitize(user)).WithHint(fetchEmergency)
	}
	if err := checkClusterAdmin(ctx, api); err != nil {
		return Emergency{}, err
	}
	made, err := getTokenTime(ctx, api, account)
	return Emergency{User: user, Account: account, TokenMade: made}, err
}

func getUser(ctx context.Context, api *kubeapi.Client) (string, error) {
	reviewed, err := createReview(ctx, api, selfReviews, "SelfSubjectReview", nil)
	if err != nil {
		return "", err
	}
	user, _, _ := unstructured.NestedString(reviewed, "status", "userInfo", "username")
	return user, nil
}

func checkClusterAdmin(ctx context.Context, api *kubeapi.Client) error {
	all := map[string]any{"resourceAttributes": map[string]any{"verb": "*", "group": "*", "resource": "*"}}
	reviewed, err := createReview(ctx, api, accessReviews, "SelfSubjectAccessReview", all)
	if err != nil {
		return toEmergencyFault(err)
	}
	if allowed, _, _ := unstructured.NestedBool(reviewed, "status", "allowed"); !allowed {
		return fault.Newf(fault.Denied, emergencyOp, "it does not have all permissions in the cluster").
			WithHint("bind the emergency account to cluster-admin")
	}
	return nil
}

func createReview(ctx context.Context, api *kubeapi.Client, where kubeapi.ResourcePath, kind string, spec map[string]any) (map[string]any, error) {
	path, _, _ := strings.Cut(string(where), "/self")
	asked := map[string]any{"apiVersion": path, "kind": kind}
	if spec != nil {
		asked["spec"] = spec
	}
	answer, err := api.Request(ctx, where, asked)
	if err != nil {
		return nil, api.ToFault(ctx, "ask for a "+kind, err)
	}
	return answer.Object, nil
}

type emergencyAccount struct {
	Status struct {
		TokenMade metav1.Time `json:"lastTokenCreationTimestamp"`
	} `json:"status"`
}

func getTokenTime(ctx context.Context, api *kubeapi.Client, name string) (time.Time, error) {
	account, exists, err := kubeapi.Get[emergencyAccount](ctx, api, emergencyAccounts, name)
	if err != nil {
		return time.Time{}, err
	}
	if !exists {
		return time.Time{}, fault.Newf(fault.Invalid, emergencyOp, "the cluster has no EmergencyAccount %q", name).WithHint(fetchEmergency)
	}
	created, _, err := kubeapi.Get[identity](ctx, api, namespaces, "kube-system")
	if err != nil {
		return time.Time{}, err
	}
	made := account.Status.TokenMade
	if made.IsZero() || made.Before(&created.Metadata.CreationTimestamp) {
		return time.Time{}, fault.Newf(fault.Transient, emergencyOp, "the EmergencyAccount %q has no token yet", name).
			WithHint("check the deployments in the namespace appuio-emergency-credentials-controller, then run again")
	}
	return made.Time, nil
}

const (
	fetchEmergency   = "fetch the emergency credentials of this cluster, and keep TLS verification enabled"
	decryptEmergency = "decrypt it with its passphrase, which is in Passbolt, and use the resulting kubeconfig"
)

// connectEmergency connects with an emergency kubeconfig to the API of admin. It uses nothing but the kubeconfig's address, CA
// and token: no exec plugins, no files, no other server name.
func (v *Verifier) connectEmergency(kubeconfig []byte, admin *kubeapi.Client) (*kubeapi.Client, error) {
	const op = "load the emergency kubeconfig"
	if bytes.Contains(kubeconfig, []byte("-----BEGIN PGP MESSAGE-----")) {
		return nil, fault.Newf(fault.Invalid, op, "it is still encrypted").WithHint(decryptEmergency)
	}
	config, err := kubeapi.ParseKubeconfig(kubeconfig)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, op, "it is not a kubeconfig").WithHint(fetchEmergency) // the cause may quote a token
	}
	address, err := url.Parse(config.Server)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, op, "its server is not a URL").WithHint(fetchEmergency)
	}
	if err := checkEmergency(config, address, admin.Address); err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint(fetchEmergency)
	}
	roots, err := v.loadEmergencyRoots(config)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint(fetchEmergency)
	}
	return v.connector.ConnectToken(address, roots, config.Token), nil
}

func checkEmergency(config kubeapi.Kubeconfig, address, admin *url.URL) error {
	switch {
	case config.Insecure:
		return errors.New("it disables the verification of the server")
	case address.Scheme != "https" || address.Host != admin.Host || address.User != nil:
		return errors.New("its server is not " + admin.Host + ", the API of this cluster")
	case config.Token == "":
		return errors.New("it has no token")
	case config.Impersonates != "":
		return errors.New("it impersonates another user")
	}
	return nil
}

// loadEmergencyRoots returns the CAs that the kubeconfig embeds, else the cluster's own and public ones, with which a catalog may
// have the API served.
func (v *Verifier) loadEmergencyRoots(config kubeapi.Kubeconfig) (*x509.CertPool, error) {
	if len(config.Authority) > 0 {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(config.Authority) {
			return nil, errors.New("its certificate authority is not a certificate")
		}
		return roots, nil
	}
	own, err := v.connector.ReadAuthorities()
	if err != nil {
		return nil, err
	}
	roots, err := kubeapi.LoadPublicRoots(v.connector.Network)
	if err == nil {
		roots.AppendCertsFromPEM(own)
	}
	return roots, err
}
