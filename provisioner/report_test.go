package provisioner_test

import (
	"context"
	"errors"
	"testing"

	"exoshift/provisioner"
)

func TestReport_SignInActionWhileAsked(t *testing.T) {
	refused := errors.New("refused")
	asking := func(ctx context.Context, show func(context.Context, string) error) error {
		if show == nil {
			return refused
		}
		return show(ctx, "https://id.example.net/auth")
	}
	silent := func(context.Context, func(context.Context, string) error) error { return nil }
	for name, c := range map[string]struct {
		by    func(context.Context, func(context.Context, string) error) error
		show  func(context.Context, string) error
		hints []string
		err   error
	}{
		"a person signs in":  {asking, func(context.Context, string) error { return nil }, []string{"sign in in a browser: https://id.example.net/auth", ""}, nil},
		"a person gives up":  {asking, func(context.Context, string) error { return refused }, []string{"sign in in a browser: https://id.example.net/auth", ""}, refused},
		"a token is at hand": {silent, func(context.Context, string) error { return nil }, nil, nil},
		"nobody is there":    {asking, nil, nil, refused},
	} {
		t.Run(name, func(t *testing.T) {
			var hints []string
			report := provisioner.Report(func(e provisioner.Event) { hints = append(hints, e.Hint) })
			if err := report.SignIn(t.Context(), c.by, c.show); !errors.Is(err, c.err) {
				t.Errorf("%v, not %v", err, c.err)
			}
			if len(hints) != len(c.hints) {
				t.Fatalf("told %q, not %q", hints, c.hints)
			}
			for i := range hints {
				if hints[i] != c.hints[i] {
					t.Errorf("told %q, not %q", hints[i], c.hints[i])
				}
			}
		})
	}
}
