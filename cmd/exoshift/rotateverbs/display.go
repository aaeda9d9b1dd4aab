package rotateverbs

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/rotation"
	"exoshift/internal/console"
	"exoshift/internal/text"
)

// display shows a rotation as lines of text, as JSON lines, or by a dashboard while it goes on.
type display struct{ cli.VerbDisplay }

// ShowPlan implements rotation.Display.
func (d display) ShowPlan(plan rotation.Plan) error {
	return d.Show(func(w io.Writer) { printPlan(w, d.Cluster, plan) }, func(w io.Writer) error { return writePlanJSON(w, plan) })
}

// Close implements rotation.Display.
func (d display) Close(plan rotation.Plan, failure error, events string) {
	d.End(failure, events, func(w io.Writer) { printEnd(w, d.Cluster, plan, failure) })
}

func printPlan(w io.Writer, cluster string, plan rotation.Plan) {
	if plan.Kubeconfig != nil {
		printKubeconfigPlan(w, cluster, plan)
		return
	}
	fmt.Fprintf(w, "Cluster %s: replace %s\n\n", console.SanitizeLine(cluster), text.Plural(len(plan.Keys), "API key"))
	for _, key := range plan.Keys {
		fmt.Fprintf(w, "  %s, of %s\n    key: %s\n", console.SanitizeLine(key.Name), key.Use, console.SanitizeLine(key.Old))
		if key.Revoked {
			fmt.Fprint(w, "    WARNING: it does not exist any more: what uses it does not work.\n")
		}
		if key.Begun {
			fmt.Fprint(w, "    An earlier run has begun with it, and this one goes on.\n")
		}
		for _, holder := range key.Holders {
			fmt.Fprintf(w, "    Secret: %s\n", console.SanitizeLine(holder.ID()))
			for _, reader := range holder.Readers {
				fmt.Fprintf(w, "      restarted: %s\n", console.SanitizeLine(reader))
			}
		}
	}
	for _, sentence := range plan.Skipped {
		fmt.Fprintf(w, "  Left alone: %s.\n", console.SanitizeLine(sentence))
	}
	fmt.Fprintln(w)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
	fmt.Fprint(w, "\nThe old keys are deleted once the use of the new ones is proven.\n")
}

func printKubeconfigPlan(w io.Writer, cluster string, plan rotation.Plan) {
	fmt.Fprintf(w, "Cluster %s: replace the administrator's kubeconfig\n\n", console.SanitizeLine(cluster))
	if plan.Kubeconfig.Begun {
		fmt.Fprint(w, "  An earlier run has begun with it, and this one goes on.\n\n")
	}
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
	fmt.Fprint(w, "\nEvery copy of the old kubeconfig stops working.\n")
	if plan.Kubeconfig.Others > 0 {
		fmt.Fprintf(w, "The config map openshift-config/admin-kubeconfig-client-ca has %s more, of\nother kubeconfigs, which stay valid.\n", text.Plural(plan.Kubeconfig.Others, "signer"))
	}
}

func printEnd(w io.Writer, cluster string, plan rotation.Plan, failure error) {
	if failure != nil {
		fmt.Fprintf(w, "\nResume with:\n  %s\n", console.SanitizeLine(plan.Retry))
		return
	}
	if plan.Kubeconfig != nil {
		fmt.Fprintf(w, "\nThe folder of cluster %s has a new kubeconfig, and the API refuses the old one.\n", console.SanitizeLine(cluster))
		return
	}
	var keys []string
	for _, key := range plan.Keys {
		keys = append(keys, console.SanitizeLine(key.Name))
	}
	fmt.Fprintf(w, "\nCluster %s uses new API keys, and the old ones are deleted:\n  %s\n", console.SanitizeLine(cluster), strings.Join(keys, "\n  "))
}

// keyLine is an API key as JSON.
type keyLine struct {
	Type    string       `json:"type"` // api-key
	Name    string       `json:"name"`
	Key     string       `json:"key"` // ID
	Use     string       `json:"use"`
	Begun   bool         `json:"begun"`
	Revoked bool         `json:"revoked"`
	Secrets []secretLine `json:"secrets"`
}

type secretLine struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Restarts  []string `json:"restarts"`
}

// kubeconfigLine is the rotation of a kubeconfig as JSON.
type kubeconfigLine struct {
	Type   string `json:"type"` // kubeconfig
	Begun  bool   `json:"begun"`
	Others int    `json:"others"` // signers of other kubeconfigs
}

// skippedLine is what is left alone, as JSON.
type skippedLine struct {
	Type   string `json:"type"` // skipped
	Reason string `json:"reason"`
}

// stepLine is a step as JSON.
type stepLine struct {
	Type  string `json:"type"` // step
	ID    string `json:"id"`
	Title string `json:"title"`
}

func writePlanJSON(w io.Writer, plan rotation.Plan) error {
	encoder := json.NewEncoder(w)
	for _, key := range plan.Keys {
		line := keyLine{Type: "api-key", Name: key.Name, Key: key.Old, Use: key.Use, Begun: key.Begun, Revoked: key.Revoked}
		for _, holder := range key.Holders {
			line.Secrets = append(line.Secrets, secretLine{holder.Namespace, holder.Name, append([]string{}, holder.Readers...)})
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	if plan.Kubeconfig != nil {
		if err := encoder.Encode(kubeconfigLine{"kubeconfig", plan.Kubeconfig.Begun, plan.Kubeconfig.Others}); err != nil {
			return err
		}
	}
	for _, sentence := range plan.Skipped {
		if err := encoder.Encode(skippedLine{"skipped", sentence}); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := encoder.Encode(stepLine{"step", step.ID, step.Title}); err != nil {
			return err
		}
	}
	return nil
}
