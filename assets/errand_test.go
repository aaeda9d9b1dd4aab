package assets_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"exoshift/assets"
)

func errand() assets.Errand {
	return assets.Errand{
		Program: "https://sos.example.net/b/program.gz?X-Amz-Signature=1&a=b", SHA256: strings.Repeat("a1", 32), Args: []string{"probe", "it's"},
		Task: "https://sos.example.net/b/task?s=2", Status: "https://sos.example.net/b/status?s=3", Report: "https://sos.example.net/b/report?s=4",
	}
}

func TestTheErrandIsTheOneThatWasReviewed(t *testing.T) {
	got, err := assets.ErrandUserData(errand())
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "testdata/errand.golden", got)
}

func TestAnErrandIsACloudConfigThatEndsWithThePowerOff(t *testing.T) {
	userData, err := assets.ErrandUserData(errand())
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

func TestAnErrandThatCouldSayMoreThanItShouldIsRefused(t *testing.T) {
	for name, change := range map[string]func(*assets.Errand){
		"line in a link":     func(e *assets.Errand) { e.Task += "\n  - reboot" },
		"line in a word":     func(e *assets.Errand) { e.Args[0] = "a\nb" },
		"no hash":            func(e *assets.Errand) { e.SHA256 = "" },
		"hash with commands": func(e *assets.Errand) { e.SHA256 = `"; reboot; "` + strings.Repeat("a", 52) },
	} {
		e := errand()
		change(&e)
		if got, err := assets.ErrandUserData(e); err == nil {
			t.Errorf("%s gave %s", name, got)
		}
	}
}
