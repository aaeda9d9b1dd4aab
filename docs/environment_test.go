package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"exoshift/docs"
	"exoshift/provisioner/destroy"
	"exoshift/state"
)

// A string that is the name of an environment variable of ours, or of a service that we log in to.
var variable = regexp.MustCompile(`"((?:EXOSHIFT|EXOSCALE|VAULT|COMMODORE|GITLAB|CI|XDG)_[A-Z_]*[A-Z])"`)

// The page has each variable that the program names. The simulated zone sets variables of its machines, which nobody else sees.
func TestEnvironmentPage_HasEveryVariable(t *testing.T) {
	page, found := docs.Find("reference/environment")[0].Text, 0
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "bin" || name == "tools" || name == "test" || name == "internal/simcloud"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := fs.ReadFile(root, name)
		for _, match := range variable.FindAllSubmatch(content, -1) {
			found++
			if !strings.Contains(page, "`"+string(match[1])) {
				t.Errorf("docs/reference/environment.md lacks %s of %s", match[1], name)
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("%d variables were found, %v", found, err)
	}
}

// The page has each name that the folder of a cluster knows.
func TestFolderPage_HasEveryFile(t *testing.T) {
	page := docs.Find("reference/folder")[0].Text
	for _, name := range []string{
		state.AnswersFile, state.FactsFile, state.JournalFile, state.EventsFile, state.TeardownFile, state.NodesFile, state.ChecksFile, state.LogFile,
		state.InstallDir + "/", state.HandoverFile, state.BinDir + "/", state.IdentityFile, state.CatalogDir + "/", state.PasswordsFile, state.StewardFile,
		state.KeyFile, state.SumsFile, state.GatheredDir + "/", state.SecretsDir + "/", path.Dir(state.FormatKeyFile("x")) + "/", destroy.InventoryFile, "lock.json",
	} {
		if !strings.Contains(page, "`"+name) {
			t.Errorf("docs/reference/folder.md lacks %s", name)
		}
	}
}
