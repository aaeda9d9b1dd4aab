package wizard

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/state"
)

const pullSecretKey = "openshift.pullSecret"

// OKD's images are public.
func isPullSecretOptional(spec state.Spec) bool { return spec.OpenShift.Distribution == okd }

type pullSecret struct {
	Auths map[string]struct {
		Auth  string `json:"auth"`       // base64 of user:password
		Store string `json:"credsStore"` // in place of auth
	} `json:"auths"`
}

// A pull secret has to be what openshift-install accepts, with auths that the nodes can use, and for OpenShift Container
// Platform with the registries that an installation pulls from. Only names of registries are repeated.
func pullSecretOf(distribution string) rule {
	allowed := "the JSON from https://console.redhat.com/openshift/install/pull-secret"
	if distribution == okd {
		allowed = `{"auths": {"<registry>": {"auth": "<base64 of user:password>"}}}, or no openshift.pullSecret at all`
	}
	return func(text string) []Problem {
		secret, problem := readPullSecret(text)
		if problem != "" {
			return newProblem(problem, allowed, "")
		}
		problems := secret.listBrokenAuths()
		if lacking := secret.listMissing("quay.io", "registry.redhat.io"); distribution != okd && len(lacking) > 0 {
			problems = append(problems, fmt.Sprintf("the pull secret lacks %s, which OpenShift's images come from", strings.Join(lacking, " and ")))
		}
		var faults []Problem
		for _, problem := range problems {
			faults = append(faults, newProblem(problem, allowed, "")...)
		}
		return faults
	}
}

func readPullSecret(text string) (secret pullSecret, problem string) {
	err := json.Unmarshal([]byte(text), &secret)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return secret, fmt.Sprintf("the pull secret is no JSON from its character %d on", syntax.Offset)
	case err != nil:
		return secret, "the pull secret is not the JSON that it should be"
	case len(secret.Auths) == 0:
		return secret, "the pull secret has no auths"
	}
	return secret, ""
}

func (s pullSecret) listBrokenAuths() (problems []string) {
	for _, registry := range slices.Sorted(maps.Keys(s.Auths)) {
		entry := s.Auths[registry]
		switch {
		case entry.Auth == "" && entry.Store == "":
			problems = append(problems, "the pull secret has no auth for "+quote(registry))
		case entry.Auth != "" && !isAuth(entry.Auth):
			problems = append(problems, "the auth for "+quote(registry)+" is not base64 of user:password")
		}
	}
	return problems
}

func isAuth(auth string) bool {
	decoded, err := base64.StdEncoding.DecodeString(auth)
	user, password, _ := strings.Cut(strings.TrimSpace(string(decoded)), ":")
	return err == nil && user != "" && password != ""
}

// A key may name a part of a registry.
func (s pullSecret) listMissing(registries ...string) []string {
	return slices.DeleteFunc(registries, func(registry string) bool {
		for name := range s.Auths {
			if host, _, _ := strings.Cut(name, "/"); host == registry {
				return true
			}
		}
		return false
	})
}

// checkPullSecret warns of missing entries that an installation does not need, and of entries that it should not have.
func checkPullSecret(spec state.Spec, text string) []Problem {
	secret, problem := readPullSecret(text)
	if problem != "" {
		return nil
	}
	if spec.OpenShift.Distribution == okd {
		return secret.checkRedHat()
	}
	var faults []Problem
	for _, lacking := range secret.listMissing("cloud.openshift.com", "registry.connect.redhat.com") {
		without := map[string]string{
			"cloud.openshift.com":         "the cluster cannot report to Red Hat",
			"registry.connect.redhat.com": "certified operators, Cilium's among them, cannot be pulled",
		}[lacking]
		faults = append(faults, newProblem("the pull secret lacks "+lacking+": "+without, "", "")...)
	}
	return withField(pullSecretKey, faults)
}

// Red Hat's terms do not allow its pull secret for OKD, which needs none.
func (s pullSecret) checkRedHat() []Problem {
	if len(s.listMissing("registry.redhat.io", "cloud.openshift.com")) == 2 {
		return nil
	}
	return withField(pullSecretKey, newProblem("this is a pull secret of Red Hat, which is not meant for OKD",
		"no openshift.pullSecret: OKD's images are public", ""))
}
