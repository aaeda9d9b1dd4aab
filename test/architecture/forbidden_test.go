package architecture

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestInit_IsForbidden(t *testing.T) { report(t, initFunctions(ours(t))) }

func TestPanic_IsForbidden(t *testing.T) { report(t, panics(ours(t))) }

func TestSleep_VirtualTimeOnly(t *testing.T) { report(t, sleeps(ours(t))) }

func TestTLS_AlwaysVerified(t *testing.T) { report(t, blindTrust(ours(t))) }

func TestFiles_ReadByOnePackage(t *testing.T) { report(t, unboundedReads(ours(t))) }

func TestText_HasNoLeftovers(t *testing.T) { report(t, leftovers(ours(t))) }

func TestFiles_NameNoMachine(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	report(t, machinePaths(ours(t), root))
}

func initFunctions(p project) (violations []string) {
	for function, file := range p.functions {
		if function.Recv == nil && function.Name.Name == "init" {
			violations = append(violations, file.path+": no init functions; let main call what has to run")
		}
	}
	return violations
}

func panics(p project) []string {
	return p.expressions("return an error instead of panic", func(node ast.Node, file source) bool {
		call, ok := node.(*ast.CallExpr)
		return ok && !file.test && isName(call.Fun, "panic")
	})
}

// sleeps lets tests sleep where a bubble of testing/synctest makes their time virtual.
func sleeps(p project) []string {
	const rule = "wait with network.Clock or for an event instead of time.Sleep"
	return p.expressions(rule, func(node ast.Node, file source) bool {
		selector, ok := node.(*ast.SelectorExpr)
		return ok && isName(selector.X, "time") && selector.Sel.Name == "Sleep" &&
			(!file.test || !slices.Contains(file.imports(), "testing/synctest"))
	})
}

// blindTrust lets only the simulated load balancer turn verification off, by an assignment of what its own
// configuration says: never by a literal.
func blindTrust(p project) []string {
	return p.expressions("no InsecureSkipVerify; trust a certificate authority", func(node ast.Node, _ source) bool {
		switch node := node.(type) {
		case *ast.KeyValueExpr:
			return isName(node.Key, "InsecureSkipVerify") && !isName(node.Value, "false")
		case *ast.AssignStmt:
			field, ok := node.Lhs[0].(*ast.SelectorExpr)
			return ok && field.Sel.Name == "InsecureSkipVerify" && isName(node.Rhs[0], "true")
		}
		return false
	})
}

// readers are the folders and files that may read files on their own, with the reason.
var readers = map[string]string{
	"assets/":                                   "reads what is embedded in the program",
	"docs/":                                     "reads what is embedded in the program",
	"internal/app/probeprogram/":                "reads what is embedded in the program",
	"internal/fileread/":                        "reads files for everybody else",
	"internal/simcloud/":                        "the simulated zone reads its own store, and machines and folders that it made",
	"internal/bundle/bundle.go":                 "opens the folder as a root, and reads the bounded ends of its regular files",
	"tui/tuitest/":                              "reads the recordings of tests",
	"state/lock.go":                             "locks a folder, and reads nothing of it",
	"provisioner/syn/catalog/checkout.go":       "opens a folder as a root, to write into it",
	"provisioner/syn/catalog/secretrefs.go":     "opens a folder as a root, for fileread",
	"provisioner/remoterun/payload.go":          "sends this very program elsewhere, as a stream",
	"provisioner/openshift/masterhost/trust.go": "has fileread look at each file that knownhosts opens then",
	"provisioner/remoterun/hostkey.go":          "has fileread look at each file that knownhosts opens then",
}

// unboundedReads finds what reads a file of any size and kind: os.ReadFile and its like, and os.Open, which waits at a
// pipe.
func unboundedReads(p project) []string {
	const rule = "read files by internal/fileread: of others' files only regular ones are read, and of bounded size"
	return p.expressions(rule, func(node ast.Node, file source) bool {
		if file.test || strings.HasPrefix(file.path, "test/") || strings.HasPrefix(file.path, "tools/") {
			return false
		}
		for reader := range readers {
			if strings.HasPrefix(file.path, reader) {
				return false
			}
		}
		return readsFile(node)
	})
}

// byPath are functions of libraries that read a file of any size and kind by its path.
var byPath = []string{"ReadFile", "RESTConfigFromKubeConfig", "LoadFromFile", "LoadX509KeyPair", "OpenReader", "ParseFiles", "AppendCertsFromFile"}

func readsFile(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.ImportSpec: // by another name it would not be found
		return node.Path.Value == `"os"` && node.Name != nil || node.Path.Value == `"io/ioutil"`
	case *ast.CallExpr: // to read is the default
		called, ok := node.Fun.(*ast.SelectorExpr)
		return ok && called.Sel.Name == "OpenFile" && len(node.Args) == 3 && !opensToWrite(node.Args[1])
	case *ast.SelectorExpr:
		return slices.Contains(byPath, node.Sel.Name) || isName(node.X, "knownhosts") && node.Sel.Name == "New" ||
			isName(node.X, "os") && slices.Contains([]string{"Open", "OpenRoot", "O_RDONLY"}, node.Sel.Name)
	}
	return false
}

// opensToWrite reports whether the flags of a file name a way to write, or are those of a variable that does.
func opensToWrite(flags ast.Expr) (writes bool) {
	ast.Inspect(flags, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		writes = writes || ok && slices.Contains([]string{"O_WRONLY", "O_RDWR", "flags"}, name.Name)
		return !writes
	})
	return writes
}

// expressions names the line of each node that a rule finds.
func (p project) expressions(rule string, finds func(ast.Node, source) bool) (violations []string) {
	for _, file := range p.sources {
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if node != nil && finds(node, file) {
				violations = append(violations, fmt.Sprintf("%s: %s", p.positions.Position(node.Pos()), rule))
			}
			return true
		})
	}
	return violations
}

func isName(expression ast.Expr, name string) bool {
	identifier, ok := expression.(*ast.Ident)
	return ok && identifier.Name == name
}

// Words that mark unfinished work; they are pieced together so that this file is none of their cases.
var (
	unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	conflict   = regexp.MustCompile(`(?m)^(<{7} |>{7} )`)
)

func leftovers(p project) []string {
	violations := p.matches(unfinished, "finish it or write it down elsewhere")
	return append(violations, p.matches(conflict, "a merge conflict was left")...)
}

// homes are the folders of people; core and ubuntu are users of the machines that we install.
var homes = regexp.MustCompile(`/(?:Users|home)/([a-z][-a-z0-9_.]*)/`)

// machinePaths finds the folder of this very checkout, and people's homes.
func machinePaths(p project, root string) []string {
	const rule = "no path of the machine that it was written on"
	checkout := regexp.MustCompile("(?m)(?:^|[\\s\"'`=(])" + regexp.QuoteMeta(root) + `\b`)
	violations := p.matches(checkout, rule)
	for name, text := range p.texts {
		for _, home := range homes.FindAllStringSubmatch(text, -1) {
			if home[1] != "core" && home[1] != "ubuntu" {
				violations = append(violations, fmt.Sprintf("%s: %q: %s", name, home[0], rule))
			}
		}
	}
	return violations
}

func (p project) matches(pattern *regexp.Regexp, rule string) (violations []string) {
	for name, text := range p.texts {
		if found := pattern.FindString(text); found != "" {
			violations = append(violations, fmt.Sprintf("%s: %q: %s", name, strings.TrimSpace(found), rule))
		}
	}
	slices.Sort(violations)
	return violations
}
