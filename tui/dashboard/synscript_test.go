package dashboard

import (
	"time"

	"exoshift/provisioner"
)

// synthesizing is a run during the installation of Project Syn.
func synthesizing() *tape {
	t := complete()
	t.events = t.events[:len(t.events)-1]
	t.application("steward-agent", "Healthy", "", "")
	t.application("argo-cd", "Progressing", "", "the application controller has 0 of 1 pods")
	t.application("root", "Missing", "Unknown", "")
	t.now = t.now.Add(4 * time.Minute)
	t.application("argo-cd", "Healthy", "", "")
	t.application("root", "Healthy", "Synced", "")
	for i, name := range []string{
		"argocd", "cert-manager", "cilium", "cluster-backup", "exoscale-cloud-controller-manager", "openshift4-api", "openshift4-authentication",
		"openshift4-console", "openshift4-ingress", "openshift4-monitoring", "openshift4-nodes", "openshift4-registry", "steward-config",
	} {
		switch i % 6 {
		case 2:
			t.application(name, "Progressing", "OutOfSync", "")
		case 5:
			t.application(name, "Degraded", "OutOfSync", "the secret t-demo/c-demo-1/registry/httpSecret does not exist: write it, and Argo CD goes on")
		case 4:
			t.application(name, "Missing", "OutOfSync", "")
		default:
			t.application(name, "Healthy", "Synced", "")
		}
	}
	return t
}

func (t *tape) application(name, health, sync, reason string) {
	t.add(time.Second, provisioner.Event{
		Type: provisioner.TypeApplication, Phase: "project-syn", Step: "synthesis", Name: name, State: health, Sync: sync, Reason: reason,
	})
}

// awaitingSignIn is a run that waits for a sign-in.
func awaitingSignIn() *tape {
	t := beginning()
	t.step(time.Second, "credentials", provisioner.Started, "")
	t.step(time.Second, "credentials", provisioner.Progress, "sign in at Lieutenant")
	t.events[len(t.events)-1].Hint = "Open this page and sign in:\n" +
		"https://id.vshn.net/auth/realms/VSHN-main-dev-realm/protocol/openid-connect/auth?client_id=commodore&redirect_uri=http%3A%2F%2Flocalhost%3A18000&response_type=code&scope=openid+email+profile&state=qx3t5RrY3cvX0tW2bC8k1w&nonce=2Zf6Gm9uWc0o&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
	return t
}
