package assets_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"exoshift/assets"
)

func errand() assets.RemoteRun {
	return assets.RemoteRun{
		Program: "https://sos.example.net/b/program.gz?X-Amz-Signature=1&a=b", SHA256: strings.Repeat("a1", 32), Args: []string{"probe", "it's"},
		Task: "https://sos.example.net/b/task?s=2", Status: "https://sos.example.net/b/status?s=3", Report: "https://sos.example.net/b/report?s=4",
		Seconds: 300,
	}
}

func TestRemoteRunUserData_Golden(t *testing.T) {
	got, err := assets.RenderRemoteRunUserData(errand())
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "testdata/errand.golden", got)
}

func TestRemoteRunUserData_EndsWithPowerOff(t *testing.T) {
	userData, err := assets.RenderRemoteRunUserData(errand())
	if err != nil {
		t.Fatal(err)
	}
	var document cloudConfig
	if err := yaml.UnmarshalWithOptions(userData, &document, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if last := document.RunCmd[len(document.RunCmd)-1]; len(last) != 1 || last[0] != "poweroff" {
		t.Errorf("it ends with %q", last)
	}
	script := document.WriteFiles[0].Content
	verifies, runs := strings.Index(script, "sha256sum -c"), strings.Index(script, `"$dir/program" 'probe' 'it'\''s'`)
	if verifies < 0 || runs < verifies {
		t.Errorf("the program runs before it is verified:\n%s", script)
	}
}

func TestRemoteRunUserData_RefusesInjection(t *testing.T) {
	for name, change := range map[string]func(*assets.RemoteRun){
		"line in a link":     func(e *assets.RemoteRun) { e.Task += "\n  - reboot" },
		"line in a word":     func(e *assets.RemoteRun) { e.Args[0] = "a\nb" },
		"no hash":            func(e *assets.RemoteRun) { e.SHA256 = "" },
		"no limit":           func(e *assets.RemoteRun) { e.Seconds = 0 },
		"hash with commands": func(e *assets.RemoteRun) { e.SHA256 = `"; reboot; "` + strings.Repeat("a", 52) },
	} {
		e := errand()
		change(&e)
		if got, err := assets.RenderRemoteRunUserData(e); err == nil {
			t.Errorf("%s gave %s", name, got)
		}
	}
}

// transfer replaces curl: links are paths of files.
const transfer = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -o) to=$2; shift 2 ;;
    -T) from=$2; shift 2 ;;
    --retry | --connect-timeout | --max-time) shift 2 ;;
    -*) shift ;;
    *) link=$1; shift ;;
  esac
done
if [ -n "$from" ]; then cp "$from" "$link"; else cp "$link" "$to"; fi
`

// sent runs the remote run's script in the local shell and returns the report and the status that it left.
func sent(t *testing.T, program string, change func(*assets.RemoteRun)) (report, status string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the errand is one for Linux")
	}
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write([]byte(program))
	_ = zip.Close()
	file("curl", transfer, 0o700)
	e := assets.RemoteRun{
		Program: file("program.gz", packed.String(), 0o600), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(program))), Args: []string{"it's", "a b"},
		Task: file("task", "the task", 0o600), Status: filepath.Join(dir, "status"), Report: filepath.Join(dir, "report"),
		Seconds: 300,
	}
	change(&e)
	userData, err := assets.RenderRemoteRunUserData(e)
	if err != nil {
		t.Fatal(err)
	}
	var document cloudConfig
	if err := yaml.Unmarshal(userData, &document); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("/bin/sh", file("errand", document.WriteFiles[0].Content, 0o600))
	shell.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	content, err := shell.CombinedOutput()
	left, _ := os.ReadFile(e.Status)
	found, _ := os.ReadFile(e.Report)
	t.Logf("%v: %s", err, content)
	return string(found), string(left)
}

func TestRemoteRunUserData_RunsInShell(t *testing.T) {
	const echo = "#!/bin/sh\nprintf '%s|' \"$@\"\ncat\n"
	for name, test := range map[string]struct {
		program        string
		change         func(*assets.RemoteRun)
		report, status string
	}{
		"good":       {echo, func(*assets.RemoteRun) {}, "it's|a b|the task", "runs\nworks\n"},
		"other hash": {echo, func(e *assets.RemoteRun) { e.SHA256 = strings.Repeat("0", 64) }, "", "runs\nprogram-changed\n"},
		"no program": {echo, func(e *assets.RemoteRun) { e.Program += "x" }, "", "runs\nprogram-missing\n"},
		"no task":    {echo, func(e *assets.RemoteRun) { e.Task += "x" }, "", "runs\ntask-missing\n"},
		"no report":  {echo, func(e *assets.RemoteRun) { e.Report += "/x" }, "", "runs\nworks\nreport-lost\n"},
		"fails":      {"#!/bin/sh\necho a >&2; echo b >&2; exit 3\n", func(*assets.RemoteRun) {}, "", "runs\nworks\nfailed 3 a b \n"},
		"no status":  {echo, func(e *assets.RemoteRun) { e.Status += "/x" }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if report, status := sent(t, test.program, test.change); report != test.report || status != test.status {
				t.Errorf("it left %q and %q, want %q and %q", report, status, test.report, test.status)
			}
		})
	}
}
