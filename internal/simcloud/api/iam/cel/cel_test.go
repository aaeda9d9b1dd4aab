package cel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	google "github.com/google/cel-go/cel"

	"exoshift/internal/simcloud/api/iam/cel"
)

// values are what a call has, as encoding/json makes it.
func values() map[string]any {
	return map[string]any{
		"operation": "create-instance",
		"parameters": map[string]any{
			"name": "worker-1", "disk_size": 120.0, "ratio": 0.5, "public": true, "nothing": nil, "zero": 0.0, "empty": "",
			"labels": map[string]any{"cluster": "c1", "a/b": "x"}, "ports": []any{22.0, 443.0}, "names": []any{"a", "b"},
			"mixed": []any{1.0, "a", nil, true, []any{}, map[string]any{"k": 1.0}}, "created": "2026-03-29T01:30:00.5Z",
		},
		"resources": map[string]any{"instance": map[string]any{"id": "i-1", "size": 4.0, "groups": []any{map[string]any{"name": "g"}}}},
	}
}

func newLanguage(t testing.TB) *google.Env {
	t.Helper()
	object := google.MapType(google.StringType, google.DynType)
	language, err := google.NewEnv(google.Variable("operation", google.StringType), google.Variable("parameters", object),
		google.Variable("resources", object), google.CrossTypeNumericComparisons(true))
	if err != nil {
		t.Fatal(err)
	}
	return language
}

// compare fails if one of both refuses an expression that the other one accepts, or has another result.
func compare(t testing.TB, language *google.Env, expression string) {
	t.Helper()
	ours, err := cel.Compile(expression, cel.Variables{"operation": cel.String, "parameters": cel.Object, "resources": cel.Object})
	checked, issues := language.Compile(expression)
	if (err == nil) != (issues.Err() == nil) {
		t.Errorf("%s: compiling it returns %v, want %v", expression, err, issues.Err())
		return
	}
	if err != nil {
		return
	}
	theirs, err := language.Program(checked)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ours.Evaluate(values())
	want, _, wantErr := theirs.Eval(values())
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%s: evaluating it returns %v, %v, want %v, %v", expression, got, err, want, wantErr)
		return
	}
	if err == nil && !isSame(got, want.Value()) {
		t.Errorf("%s = %v (%T), want %v (%T)", expression, got, got, want.Value(), want.Value())
	}
}

// isSame compares values that policies could decide by; of lists, maps and types it is enough that both have them.
func isSame(got, want any) bool {
	switch got := got.(type) {
	case bool, string, int64, uint64:
		return got == want
	case float64:
		w, ok := want.(float64)
		return ok && (got == w || got != got && w != w)
	case []byte:
		w, ok := want.([]byte)
		return ok && bytes.Equal(got, w)
	case fmt.Stringer: // a time or a duration
		return fmt.Sprint(want) == got.String()
	}
	return true
}

func TestExpression_IsLikeGoogles(t *testing.T) {
	content, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	language := newLanguage(t)
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			compare(t, language, line)
		}
	}
}

// TestExpression_IsLikeGooglesAtRandom compares as many random expressions as EXOSHIFT_EXPRESSIONS says.
func TestExpression_IsLikeGooglesAtRandom(t *testing.T) {
	count, seed := 3000, uint64(1)
	if more, err := strconv.Atoi(os.Getenv("EXOSHIFT_EXPRESSIONS")); err == nil {
		count, seed = more, rand.Uint64()
	}
	g := generator{rand.New(rand.NewPCG(seed, 2))}
	language := newLanguage(t)
	for range count {
		compare(t, language, g.expression(4))
		if t.Failed() {
			return
		}
	}
}

func TestCompile_SaysWhereAndWhat(t *testing.T) {
	for expression, want := range map[string]string{
		"operation = 'a'":               `at 10: syntax error: unexpected "="`,
		"operation in [1]":              "at 0: found no matching overload for '@in' applied to '(string, list(int))'",
		"zone == 'a'":                   "at 0: undeclared reference to 'zone'",
		"operation.name":                "at 10: type 'string' does not support field selection",
		"operation.exists(o, o == 'a')": "at 0: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
		"has(operation)":                "invalid argument to has() macro",
		"operation == 'a' &&":           "syntax error: unexpected end",
	} {
		_, err := cel.Compile(expression, cel.Variables{"operation": cel.String})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", expression, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add("'\xff' + b'\xff'")
	f.Add("operation in ['a'] && has(parameters.a) ? 1u : {'a': [1.5e3, -2]}.a.all(x, x > 0x1f)")
	language := newLanguage(f)
	f.Fuzz(func(t *testing.T, expression string) {
		if strings.ContainsAny(expression, "?{`") || len(expression) > 200 {
			return // optional fields and messages are not part of it
		}
		compare(t, language, expression)
	})
}

// generator makes expressions most of which have types that fit.
type generator struct{ *rand.Rand }

func (g generator) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g generator) expression(depth int) string {
	if depth == 0 || g.IntN(8) == 0 {
		return g.leaf()
	}
	e := func() string { return g.expression(depth - 1) }
	switch g.IntN(12) {
	case 0, 1:
		return e() + g.pick(" && ", " || ", " == ", " != ", " < ", " <= ", " > ", " >= ", " in ") + e()
	case 2:
		return "(" + e() + ")" + g.pick(" + ", " - ", " * ", " / ", " % ", " && ", " || ") + "(" + e() + ")"
	case 3:
		return g.pick("!", "-") + "(" + e() + ")"
	case 4:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 5:
		return "[" + e() + ", " + e() + "]" + g.pick("", "[0]", "[1u]", ".size()", "[parameters.zero]")
	case 6:
		return "{" + g.pick("'a'", "1", "2u", "true", "operation", "parameters.zero") + ": " + e() + "}" + g.pick("", "['a']", ".a", "[1]")
	case 7:
		return g.pick("int", "uint", "double", "string", "bool", "bytes", "type", "dyn", "size", "timestamp", "duration") + "(" + e() + ")"
	case 8:
		return "(" + e() + ")." + g.pick("startsWith", "endsWith", "contains", "matches") + "(" + e() + ")"
	case 9:
		return "(" + e() + ")." + g.pick("all", "exists", "exists_one", "filter", "map") + "(x, " + g.pick("x == ", "x < ", "x in ", "") + e() + ")"
	case 10:
		return "timestamp(parameters.created)." + g.pick("getHours", "getDate", "getDayOfWeek", "getMilliseconds") + "(" + g.pick("", "'-02:30'", "'UTC'") + ")"
	}
	return "has(" + g.pick("parameters", "resources.instance", "parameters.labels") + "." + g.pick("name", "cluster", "missing") + ")"
}

func (g generator) leaf() string {
	return g.pick("operation", "parameters", "parameters.name", "parameters.disk_size", "parameters.ports", "parameters.mixed",
		"parameters.labels", "parameters.missing", "parameters.public", "parameters.nothing", "parameters.ratio", "resources.instance.size",
		"resources.instance.groups[0].name", "true", "false", "null", "1", "-1", "0", "2u", "1.5", "4.0", "9223372036854775807", "'a'", "'create-'",
		"'1'", "[]", "{}", "['create-instance']", "[22, 443]", "duration('90m')", "timestamp(0)", "int", "string", "x")
}
