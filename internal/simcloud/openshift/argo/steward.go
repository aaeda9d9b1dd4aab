// Package argo is Project Syn in a simulated cluster: Steward, the Argo CD that it starts, and Argo CD's operator.
package argo

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

// Names of what Steward makes.
const (
	SynNamespace    = "syn"
	stewardName     = "steward"
	deployKeyName   = "argo-ssh-key"
	moreFactsName   = "additional-facts"
	argoSecretName  = "argocd-secret"
	stewardInterval = time.Minute
)

type steward struct {
	api        *apiclient.Client // uses the pod's service account
	lieutenant lieutenant
	cluster    string // its ID
	token      string
	now        func() time.Time
	console    func(format string, args ...any)
	lastError  string
}

// RunSteward syncs every minute; its errors are in the pod's log only.
func RunSteward(ctx context.Context, c container.Container) error {
	for _, name := range []string{"STEWARD_API", "STEWARD_CLUSTER_ID", "STEWARD_TOKEN"} {
		if c.Env[name] == "" {
			return fmt.Errorf("required flag --%s not provided", strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "STEWARD_")), "_", "-"))
		}
	}
	api, err := c.NewClient()
	if err != nil {
		return err
	}
	defer api.Close()
	remote := lieutenant{base: strings.TrimRight(c.Env["STEWARD_API"], "/"), token: c.Env["STEWARD_TOKEN"], http: c.Machine.Network().NewClient(), timeout: c.Cluster.Timeout()}
	defer remote.http.CloseIdleConnections()
	s := &steward{api: api, lieutenant: remote, cluster: c.Env["STEWARD_CLUSTER_ID"], token: c.Env["STEWARD_TOKEN"], now: c.Cluster.Clock.Now, console: c.Machine.Console}
	c.Running()
	for ctx.Err() == nil {
		s.logOnce(s.sync(ctx))
		_ = c.Cluster.Clock.Sleep(ctx, stewardInterval)
	}
	return ctx.Err()
}

func (s *steward) logOnce(err error) {
	text := ""
	if err != nil && !errors.Is(err, context.Canceled) {
		text = err.Error()
	}
	if text != "" && text != s.lastError {
		s.console("steward: %s", text)
	}
	s.lastError = text
}

func (s *steward) sync(ctx context.Context) error {
	key, err := s.ensureDeployKey(ctx)
	if err != nil {
		return fmt.Errorf("error creating SSH secret: %w", err)
	}
	if err := s.ensureAdminPassword(ctx); err != nil {
		return fmt.Errorf("error setting ArgoCD admin password: %w", err)
	}
	facts, err := s.collectFacts(ctx)
	if err != nil {
		return fmt.Errorf("error fetching facts: %w", err)
	}
	known, err := s.lieutenant.report(ctx, s.cluster, key, facts)
	if err != nil {
		return fmt.Errorf("unable to patch cluster object: %w", err)
	}
	if err := s.ensureArgo(ctx, known); err != nil {
		return fmt.Errorf("could not apply ArgoCD: %w", err)
	}
	return nil
}

// ensureDeployKey returns the public key with which Argo CD reads the catalog; the pair is generated once.
func (s *steward) ensureDeployKey(ctx context.Context) (string, error) {
	found, err := s.api.Get(ctx, apiclient.FormatResourcePath(SynNamespace, cluster.SecretResource)+"/"+deployKeyName)
	if err == nil {
		public, err := base64.StdEncoding.DecodeString(found.GetString("data.sshPublicKey"))
		return strings.TrimSpace(string(public)), err
	}
	if !apiclient.IsCode(err, http.StatusNotFound) {
		return "", err
	}
	public, private, err := newDeployKey()
	if err != nil {
		return "", err
	}
	secret := kube.Object{"apiVersion": "v1", "kind": "Secret", "metadata": kube.Object{"name": deployKeyName, "namespace": SynNamespace},
		"type": "kubernetes.io/ssh-auth", "stringData": kube.Object{"sshPublicKey": public, "sshPrivateKey": private, "ssh-privatekey": private}}
	_, err = s.api.Do(ctx, http.MethodPost, apiclient.FormatResourcePath(SynNamespace, cluster.SecretResource), secret)
	return public, err
}

type lieutenant struct {
	base, token string
	http        *http.Client
	timeout     time.Duration
}

type registered struct {
	GitRepo struct{ URL, HostKeys string }
}

func (l lieutenant) report(ctx context.Context, cluster, key string, facts map[string]any) (registered, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	var known registered
	body, err := json.Marshal(map[string]any{"gitRepo": map[string]any{"deployKey": key}, "dynamicFacts": facts})
	if err != nil {
		return known, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, l.base+"/clusters/"+cluster, strings.NewReader(string(body)))
	if err != nil {
		return known, err
	}
	request.Header.Set("Authorization", "Bearer "+l.token)
	request.Header.Set("Content-Type", "application/merge-patch+json")
	response, err := l.http.Do(request)
	if err != nil {
		return known, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		registered
		Reason string
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		return known, fmt.Errorf("API returned non-200: %s %s", response.Status, answer.Reason)
	}
	return answer.registered, nil
}
