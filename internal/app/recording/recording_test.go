package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/app/exit"
	"exoshift/provisioner"
)

// formatSteps returns the lines of a run of steps, one event every ten seconds.
func formatSteps(t *testing.T, name string, began time.Time, steps ...string) string {
	t.Helper()
	events := []provisioner.Event{{Type: provisioner.TypeRun, State: provisioner.Started, Text: name}}
	for _, step := range steps {
		events = append(events,
			provisioner.Event{Type: provisioner.TypeStep, Step: step, State: provisioner.Started, Text: "Do " + step},
			provisioner.Event{Type: provisioner.TypeStep, Step: step, State: provisioner.Done})
	}
	events = append(events, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok"})
	var lines strings.Builder
	for n, e := range events {
		e.V, e.Seq, e.Time = provisioner.Version, n+1, began.Add(time.Duration(n)*10*time.Second)
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return lines.String()
}

func morning() time.Time { return time.Date(2026, 5, 4, 9, 58, 0, 0, time.UTC) }

func runsIn(t *testing.T, lines string) []Run {
	t.Helper()
	runs, err := Read(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func outline(runs []Run) []string {
	var lines []string
	for _, run := range runs {
		var words []string
		for _, e := range run {
			words = append(words, fmt.Sprintf("%d%s", e.Seq, e.State))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func TestRuns_OfOneFile(t *testing.T) {
	const whole = "1started 2started 3done 4finished"
	first, second := formatSteps(t, "one", morning(), "a"), formatSteps(t, "two", morning().Add(time.Hour), "a")
	lines := strings.SplitAfter(first, "\n")
	for name, c := range map[string]struct {
		lines string
		want  []string
	}{
		"two runs":                  {first + second, []string{whole, whole}},
		"a killed one first":        {lines[0] + lines[1] + second, []string{"1started 2started", whole}},
		"a torn line":               {lines[0] + lines[1][:40] + "\n" + lines[2] + lines[3], []string{"1started 3done 4finished"}},
		"a torn beginning":          {lines[0][:20] + "\n" + lines[1] + second, []string{"2started", whole}},
		"a beginning that is lost":  {first + strings.Join(strings.SplitAfter(second, "\n")[1:], ""), []string{whole, "2started 3done 4finished"}},
		"out of order":              {lines[2] + lines[0] + lines[1] + lines[3], []string{whole}},
		"one that comes too late":   {lines[0] + lines[1] + lines[3] + lines[2] + second, []string{whole, whole}},
		"no line break at the end":  {strings.TrimSpace(first), []string{whole}},
		"garbage between":           {"\x00\xff\n{}\n[1]\nnull\n\"x\"\n" + first + "{\"type\":\"inventory\",\"objects\":[]}\n", []string{whole}},
		"a line without an end":     {first + strings.Repeat("x", 3<<20) + "\n" + second, []string{whole, whole}},
		"nothing":                   {"", nil},
		"other types and fields":    {`{"v":2,"seq":1,"time":"2026-05-04T09:58:00Z","type":"weather","state":"sunny","new":{"a":1}}` + "\n", []string{"1sunny"}},
		"a field of another form":   {`{"v":1,"seq":1,"time":"2026-05-04T09:58:00Z","type":"etcd","count":"three","state":"x"}` + "\n", []string{"1x"}},
		"line breaks of Windows":    {strings.ReplaceAll(first, "\n", "\r\n"), []string{whole}},
		"events without any number": {strings.NewReplacer(`"seq":1`, `"seq":0`, `"seq":2`, `"seq":0`, `"seq":3`, `"seq":0`, `"seq":4`, `"seq":0`).Replace(first), []string{"0started 0started 0done 0finished"}},
	} {
		if diff := cmp.Diff(c.want, outline(runsIn(t, c.lines))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Any damaged file is read without a panic, and times are monotonic.
func TestRead_DamagedRecording(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lines := formatSteps(t, "one", morning(), "a", "b", "c") + formatSteps(t, "two", morning(), "a")
	for range 2000 {
		damaged := []byte(lines)
		for range random.IntN(20) {
			damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
		}
		for _, run := range runsIn(t, string(damaged[:random.IntN(len(damaged))])) {
			last := run[0].Time
			board := provisioner.NewBoard(run.BuildPlan(nil))
			for _, e := range run {
				if e.Time.Before(last) {
					t.Fatalf("%s is before %s in\n%s", e.Time, last, damaged)
				}
				last = e.Time
				board.Fold(e)
			}
		}
	}
}

func TestPlay_AtSpeed(t *testing.T) {
	run := runsIn(t, formatSteps(t, "one", morning(), "a", "b"))[0] // 50 s
	for speed, want := range map[float64]time.Duration{1: 50 * time.Second, 10: 5 * time.Second, 3600: 13 * time.Millisecond, 0: 0} {
		synctest.Test(t, func(t *testing.T) {
			p, began, count := &Player{speed: speed}, time.Now(), 0
			if err := p.Play(t.Context(), run, func(e provisioner.Event) {
				if count++; !p.Now().Equal(e.Time) {
					t.Errorf("×%g: %d is told at %s, not at %s", speed, e.Seq, p.Now(), e.Time)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); count != len(run) || took < want || took > want+want/10+time.Millisecond {
				t.Errorf("×%g: %d events in %s", speed, count, took)
			}
		})
	}
}

func TestPlay_ShortensPauses(t *testing.T) {
	run := runsIn(t, formatSteps(t, "one", morning()))[0]
	run[1].Time = run[0].Time.Add(9 * time.Hour)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := (&Player{speed: 1}).Play(t.Context(), run, func(provisioner.Event) {}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != shortenedSilence {
			t.Errorf("a night takes %s", took)
		}
	})
}

func TestPlay_PauseAndSpeed(t *testing.T) {
	run := runsIn(t, formatSteps(t, "one", morning()))[0] // 10 s
	synctest.Test(t, func(t *testing.T) {
		p, began := &Player{speed: 1}, time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			p.Pause()
			if pace := p.Speed(); pace != "paused" {
				t.Errorf("paused: %s", pace)
			}
			time.Sleep(time.Hour)
			p.Pause()
			p.Faster()
			p.Faster()
			p.Slower()
			if pace := p.Speed(); pace != "×2" {
				t.Errorf("twice as fast: %s", pace)
			}
		}()
		if err := p.Play(t.Context(), run, func(provisioner.Event) {}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < time.Hour+7*time.Second || took > time.Hour+8*time.Second {
			t.Errorf("5 s, a pause, and 5 s twice as fast take %s", took)
		}
	})
}

func TestPlay_StopEndsAtOnce(t *testing.T) {
	run := runsIn(t, formatSteps(t, "one", morning(), "a", "b"))[0]
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p := &Player{speed: 1, paused: true}
		time.AfterFunc(time.Minute, stop)
		began := time.Now()
		if err := p.Play(ctx, run, func(provisioner.Event) {}); !errors.Is(err, context.Canceled) || time.Since(began) > time.Minute+time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestPlay_UntilTime(t *testing.T) {
	run := runsIn(t, formatSteps(t, "one", morning(), strings.Split("abcdefghijkl", "")...))[0] // 09:58:00 to 10:02:10
	for until, want := range map[string]int{
		"": 26, "1": 1, "7": 7, "1000": 26, "30s": 4, "1m5s": 7, "10h": 26, "09:58:30": 4, "10:00": 13, "10:02:10": 26, "09:57": 26,
		"2026-05-04T09:58:30Z": 4, "2026-05-04T11:58:30+02:00": 4, "2027-01-01T00:00:00Z": 26,
	} {
		shown, err := run.TruncateAt(until)
		if err != nil || len(shown) != want {
			t.Errorf("%s: %d events, not %d: %v", until, len(shown), want, err)
		}
	}
	for _, until := range []string{"soon", "-1s", "0", "2020-01-01T00:00:00Z", "25:00", "10:00:00:00"} {
		if _, err := run.TruncateAt(until); exit.Code(err) != exit.Usage {
			t.Errorf("%s: %v", until, err)
		}
	}
}

func TestPlay_StepTitles(t *testing.T) {
	first := formatSteps(t, "one", morning(), "a", "b")
	second := strings.Join(strings.SplitAfter(formatSteps(t, "two", morning(), "a"), "\n")[:2], "") +
		`{"v":1,"seq":3,"time":"2026-05-04T09:59:00Z","type":"step","phase":"nodes","step":"b","state":"skipped","reason":"unreached"}` + "\n" +
		`{"v":1,"seq":4,"time":"2026-05-04T09:59:00Z","type":"step","phase":"nodes","step":"z","state":"skipped","reason":"unreached"}` + "\n"
	runs := runsIn(t, first+second)
	got := runs[1].BuildPlan(runs)
	want := provisioner.Plan{{ID: "a", Title: "Do a"}, {ID: "b", Title: "Do b", Phase: "nodes"}, {ID: "z", Title: "z", Phase: "nodes"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(provisioner.Step{})); diff != "" {
		t.Error(diff)
	}
}

func TestPlay_SlowSpeedIsIdle(t *testing.T) {
	p := &Player{speed: 1e-300}
	if step := p.nextStep(p.now.Add(time.Minute)); step != playInterval {
		t.Errorf("it looks every %s", step)
	}
}
