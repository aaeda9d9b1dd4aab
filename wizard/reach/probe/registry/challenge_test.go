package registry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseChallenges_ServerForms(t *testing.T) {
	type want = []challenge
	for header, expected := range map[string]want{
		`Bearer realm="https://quay.io/v2/auth",service="quay.io",scope="repository:a/b:pull"`: {
			{"bearer", map[string]string{"realm": "https://quay.io/v2/auth", "service": "quay.io", "scope": "repository:a/b:pull"}},
		},
		`bearer realm = https://a.example/token , service=a`: {
			{"bearer", map[string]string{"realm": "https://a.example/token", "service": "a"}},
		},
		`Newauth realm="a, \"b\"", type=1, Basic realm="c"`: {
			{"newauth", map[string]string{"realm": `a, "b"`, "type": "1"}},
			{"basic", map[string]string{"realm": "c"}},
		},
		`Negotiate, Bearer realm="x"`: {
			{"negotiate", map[string]string{}}, {"bearer", map[string]string{"realm": "x"}},
		},
		`Bearer realm="no end`:         {{"bearer", map[string]string{}}},
		`realm="of nobody"`:            nil,
		`Bearer realm=, service="s"`:   {{"bearer", map[string]string{"service": "s"}}},
		"\x00\x01, Bearer realm=\"x\"": {{"bearer", map[string]string{"realm": "x"}}},
		``:                             nil,
	} {
		if diff := cmp.Diff(expected, parseChallenges([]string{header}), cmp.AllowUnexported(challenge{})); diff != "" {
			t.Errorf("%s:\n%s", header, diff)
		}
	}
}

func TestParseChallenges_SeveralHeaders(t *testing.T) {
	list := parseChallenges([]string{`Basic realm="a"`, `Bearer realm="b"`})
	if c, ok := findBearer(list); !ok || c.parameters["realm"] != "b" || len(list) != 2 {
		t.Errorf("read %v", list)
	}
}

func TestParseChallenges_LimitsLongHeader(t *testing.T) {
	if list := parseChallenges([]string{strings.Repeat("Basic, ", 1<<16)}); len(list) > maxParameters {
		t.Errorf("%d challenges were read", len(list))
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer realm="https://quay.io/v2/auth",service="quay.io"`)
	f.Add(`Basic realm="\`)
	f.Add(`=,==,"`)
	f.Fuzz(func(t *testing.T, header string) {
		for _, c := range parseChallenges([]string{header}) {
			if c.scheme == "" || c.parameters == nil {
				t.Errorf("%q makes %v", header, c)
			}
		}
	})
}
