package main

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/simcloud/scenario"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

// complete returns what a shell offers for the last word of a line, without the descriptions, and what it is told to do with it:
// shells drop what does not begin with that word.
func complete(t *testing.T, line ...string) ([]string, cobra.ShellCompDirective) {
	t.Helper()
	code, out, err := executeCommand(t, append([]string{"__complete"}, line...)...)
	words := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	last, begun := len(words)-1, line[len(line)-1]
	if _, value, ok := strings.Cut(begun, "="); ok && strings.HasPrefix(begun, "--") {
		begun = value
	}
	directive, unreadable := strconv.Atoi(strings.TrimPrefix(words[last], ":"))
	if code != 0 || unreadable != nil {
		t.Fatalf("%q: exit code %d, printed %q, %q", line, code, out, err)
	}
	var offered []string
	for _, word := range words[:last] {
		if word, _, _ = strings.Cut(word, "\t"); cobra.ShellCompDirective(directive) == endings || strings.HasPrefix(word, begun) {
			offered = append(offered, word)
		}
	}
	return offered, cobra.ShellCompDirective(directive)
}

const (
	files   = cobra.ShellCompDirectiveDefault
	noFiles = cobra.ShellCompDirectiveNoFileComp
	noSpace = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	folders = cobra.ShellCompDirectiveFilterDirs
	endings = cobra.ShellCompDirectiveFilterFileExt
)

// completionCases are lines, the words that they are completed by, separated by spaces, and what the shell does with them. A
// "..." behind the words allows further ones.
var completionCases = []struct {
	line, want string
	directive  cobra.ShellCompDirective
}{
	{"rehe", "rehearse", noFiles},
	{"answers v", "validate", noFiles},
	{"help answers va", "validate", noFiles},
	{"version ", "", noFiles},
	{"completion ", "bash zsh fish powershell", noFiles},
	{"completion bash ", "", noFiles},
	{"install --no-rep", "--no-repair", noFiles},
	{"answers validate --answers cluster.yaml --set", "--set ...", noFiles},

	{"rehearse --scenario api-a", "api-away", noSpace},
	{"rehearse --scenario=api-a", "api-away", noSpace},
	{"rehearse --scenario late-dns,api-a", "late-dns,api-away", noSpace},
	{"rehearse --scenario no-such", "", noSpace},
	{"simulate --scenario no-dns", "no-dns-plan", noSpace},
	{"check --scenario split", "split-dns", noSpace},
	{"check --scenario late-d", "", noSpace},

	{"install --output ", "auto tui plain json", noFiles},
	{"install -o j", "json", noFiles},
	{"check -o j", "json junit", noFiles},
	{"status --output=p", "plain", noFiles},

	{"install --set network.pod", "network.podCIDR=", noSpace},
	{"install --set exoscale.zone=ch-g", "exoscale.zone=ch-gva-2", noFiles},
	{"install --set exoscale.zone=ch-gva-2 --set openshift.ver", "openshift.version=", noSpace},
	{"install --set no.such=", "", noFiles},
	{"answers explain network.p", "network.podCIDR ...", noFiles},
	{"explain machine-s", "machine-stopped machine-silent", noFiles},
	{"explain net-exo-00", "net-exo-001 ...", noFiles},
	{"explain bootstrap-comp", "bootstrap-complete", noFiles},
	{"explain network.p", "network.podCIDR ...", noFiles},
	{"explain NET-EXO-00", "NET-EXO-001 ...", noFiles},
	{"explain machine-silent ", "", noFiles},

	{"check --zone ch-g", "ch-gva-2", noFiles},
	{"conformance --zone at-", "at-vie-1 at-vie-2", noFiles},
	{"check --only NET-RH-001,net-exo-001", "NET-RH-001,net-exo-001", noSpace},
	{"check --skip NET-EXO-001", "NET-EXO-001=", noSpace},
	{"check --vantage ", "workstation zone ssh:", noSpace},
	{"install --image-from zo", "zone", noFiles},
	{"rehearse --image-from work", "workstation", noFiles},
	{"attach --decide machine-sil", "machine-silent=", noSpace},
	{"attach --decide machine-silent=r", "machine-silent=repair", noFiles},
	{"state list --state s", "s3://", noSpace},

	{"install --dir ", "", folders},
	{"status -d ", "", folders},
	{"destroy --dir=/tmp/", "", folders},
	{"install --answers ", "yaml yml", endings},
	{"plan -a clu", "yaml yml", endings},
	{"answers validate clu", "yaml yml", endings},
	{"man ", "", folders},
	{"bundle open ", "tar.gz", endings},
	{"install --release-key ", "", files},
	{"bundle --out ", "", files},
	{"install --wait-for-dns ", "", noFiles},
	{"rehearse --speed ", "", noFiles},

	{"status c-", "c-demo-1", files}, // or an archive
	{"replay c-", "c-demo-1", files},
	{"plan c-", "c-demo-1", noFiles},
	{"bundle c-", "c-demo-1", noFiles},
	{"verify c-", "c-demo-1", noFiles},
	{"destroy c-demo-1 ", "", noFiles},
	{"destroy --confirm-destroy ", "c-demo-1", noFiles},
	{"nodes list c-", "c-demo-1", noFiles},
	{"nodes remove c-", "c-demo-1", noFiles},
	{"nodes remove c-demo-1 worker-", "worker-0 worker-1 worker-2", noFiles},
	{"nodes remove c-demo-1 worker-0 worker-", "worker-1 worker-2", noFiles},
	{"nodes remove worker-0 worker-", "worker-1 worker-2", noFiles}, // of the only cluster
	{"nodes remove c-demo-1 master-", "", noFiles},
}

func TestCompletion_CompletesValues(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	addCluster(t, "c-demo-1", state.Facts{})
	for _, c := range completionCases {
		got, directive := complete(t, strings.Split(c.line, " ")...)
		want, open := strings.CutSuffix(c.want, "...")
		expected := strings.Fields(want)
		if open {
			got = got[:min(len(got), len(expected))]
		}
		if !slices.Equal(got, expected) {
			t.Errorf("%q is completed by %q, want %q", c.line, got, c.want)
		}
		if directive != c.directive {
			t.Errorf("%q: the directive is %d, want %d", c.line, directive, c.directive)
		}
	}
}

func TestCompletion_ListsEveryScenarioAndKey(t *testing.T) {
	if got, _ := complete(t, "rehearse", "--scenario", ""); !slices.Equal(got, scenario.Names()) {
		t.Errorf("scenarios: %q", got)
	}
	keys, _ := complete(t, "install", "--set", "")
	for _, field := range answersfile.FindFields("") {
		if !slices.Contains(keys, field.Key+"=") {
			t.Errorf("--set does not complete %s", field.Key)
		}
	}
}

// A flag whose value is no file is not completed by the names of files, and one that takes a value of a set is completed by it.
func TestCompletion_OffersFilesOnlyWhereTheyFit(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	mayBeFile := []string{"kubeconfig", "release-key", "openshift-install", "host-keys", "out", "against", "env", "calls"}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, below := range cmd.Commands() {
			visit(below)
		}
		if cmd.Hidden {
			return
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Hidden || flag.NoOptDefVal != "" || slices.Contains(mayBeFile, flag.Name) {
				return
			}
			line := append(strings.Fields(cmd.CommandPath())[1:], "--"+flag.Name, "")
			if _, directive := complete(t, line...); directive == files {
				t.Errorf("%s is completed by the names of files", strings.Join(line, " "))
			}
		})
	}
	visit(newRootCommand(cli.Streams{}))
}

func TestCompletion_ScriptsAreOfTheirShells(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "--no-execute"}, "powershell": nil} {
		code, script, printed := executeCommand(t, "completion", shell)
		if code != 0 || !strings.Contains(script, "__complete") || printed != "" {
			t.Errorf("%s: exit code %d, %d bytes, printed %q", shell, code, len(script), printed)
		}
		if len(check) == 0 {
			continue
		}
		if path, err := exec.LookPath(check[0]); err == nil {
			parse := exec.CommandContext(t.Context(), path, append(check[1:], "/dev/stdin")...)
			parse.Stdin = strings.NewReader(script)
			if out, err := parse.CombinedOutput(); err != nil {
				t.Errorf("%s does not parse its script: %v\n%s", shell, err, out)
			}
		}
	}
}
