package provisioner_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner"
)

type bubbleClock struct{}

func (bubbleClock) Now() time.Time { return time.Now() }

func (bubbleClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func TestPollUntil_EmitsReasonsAndHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		checks := 0
		wait := provisioner.PollUntil(bubbleClock{}, 10*time.Second, time.Hour, func(context.Context, provisioner.Report) error {
			if checks++; checks == 1 {
				return errors.New("no address")
			}
			if checks <= 14 {
				return errors.New("wait for the API: no answer")
			}
			return nil
		})
		var lines []string
		err := wait(t.Context(), func(e provisioner.Event) { lines = append(lines, e.Last) })
		if err != nil {
			t.Fatal(err)
		}
		// The second reason comes after 10 s, its beats after 70 s and 130 s.
		if diff := cmp.Diff([]string{"no address", "no answer", "no answer", "no answer"}, lines); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPollUntil_TimeoutHasLastReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason, began := errors.New("3 of 4 members"), time.Now()
		wait := provisioner.PollUntil(bubbleClock{}, time.Minute, 30*time.Minute, func(context.Context, provisioner.Report) error { return reason })
		err := wait(t.Context(), func(provisioner.Event) {})
		var limit *provisioner.LimitError
		if !errors.As(err, &limit) || !errors.Is(err, reason) {
			t.Errorf("ended with %v", err)
		}
		if took := time.Since(began); took != 30*time.Minute {
			t.Errorf("gave up after %s", took)
		}
	})
}

func TestPollUntil_EndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		wait := provisioner.PollUntil(bubbleClock{}, time.Minute, time.Hour, func(context.Context, provisioner.Report) error { return errors.New("no answer") })
		if err := wait(ctx, func(provisioner.Event) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestPollUntil_ProgressExtendsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		wait := provisioner.PollUntil(bubbleClock{}, time.Minute, 30*time.Minute, func(context.Context, provisioner.Report) error {
			lacks := errors.New("3 of 4 members")
			if time.Since(began) < 50*time.Minute {
				return fmt.Errorf("wrapped: %w", provisioner.Progressing(lacks))
			}
			return lacks
		})
		err := wait(t.Context(), func(provisioner.Event) {})
		var limit *provisioner.LimitError
		if took := time.Since(began); !errors.As(err, &limit) || took != 50*time.Minute {
			t.Errorf("ended after %s with %v", took, err)
		}
	})
}

func TestPollUntil_ShortensTimeoutUnits(t *testing.T) {
	for limit, want := range map[time.Duration]string{
		time.Hour: "1h", 45 * time.Minute: "45m", 90 * time.Minute: "1h30m", 10 * time.Second: "10s", 100 * time.Second: "1m40s",
		10 * time.Hour: "10h", 30 * time.Minute: "30m",
	} {
		err := &provisioner.LimitError{Limit: limit, Err: errors.New("no answer")}
		if want := "gave up after " + want + ": no answer"; err.Error() != want {
			t.Errorf("%q, not %q", err, want)
		}
	}
}
