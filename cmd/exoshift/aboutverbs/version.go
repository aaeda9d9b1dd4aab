package aboutverbs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
)

// Build says which program this is.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // "": unknown
	Date     string `json:"date"`   // of the commit, in RFC 3339; "": unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Dirty    bool   `json:"dirty"` // files differed from the commit
}

// NewBuild completes what the linker was given by what the Go toolchain noted.
func NewBuild(version, commit, date string, dirty bool) Build {
	b := Build{Version: version, Commit: commit, Date: date, Dirty: dirty, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, known := debug.ReadBuildInfo()
	if commit != "" || !known {
		return b
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Date = cmp.Or(b.Date, setting.Value)
		case "vcs.modified":
			b.Dirty = setting.Value == "true"
		}
	}
	return b
}

// Describe returns the name, the version and the system of the program.
func (b Build) Describe() string { return "exoshift " + b.Version + " " + b.Platform }

// Print prints the version for people.
func (b Build) Print(w io.Writer) error {
	_, err := fmt.Fprintln(w, "exoshift", b.Version)
	return err
}

func newVersionCommand(std cli.Streams, build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version.

With --output json: version, commit, date (of the commit), go, platform, and dirty, which is true if files differed from the commit.`,
		Example: "  exoshift version\n  exoshift version -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			if o.Output.IsJSON() {
				return json.NewEncoder(std.Out).Encode(build)
			}
			return build.Print(std.Out)
		},
	}
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}
