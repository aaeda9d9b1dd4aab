package wizard_test

import (
	"strings"
	"testing"
	"time"

	"exoshift/wizard"
)

// Any pasted text is checked in bounded time. The bound is far above the linear cost and far below a quadratic one.
func TestSet_HostilePasteInTime(t *testing.T) {
	// About a second on an idle machine; what grows with the square of the size takes much longer than a busy one does.
	const size, bound = 60 << 10, 2 * time.Minute
	for _, pattern := range []string{"a", "a.", "a,", `"`, "a=b,", "0.0.0.0/0,", "name=a type=cpu.huge,", "::,", "\n", "🙂"} {
		text := strings.Repeat(pattern, size/len(pattern)) + strings.TrimRight(pattern, ",.")
		began := time.Now()
		for _, key := range questions() {
			answers := grouped()
			_ = answers.Set(key, text, wizard.Typed)
			wizard.Check(answers.Spec)
			wizard.ListRanges(answers.Spec)
		}
		if took := time.Since(began); took > bound {
			t.Errorf("60 kB of %q take %v", pattern, took)
		}
	}
}

func TestSet_ListLimit(t *testing.T) {
	for key, item := range map[string]string{
		"network.customerNetworks": "10.9.0.0/24", "openshift.proxy.noProxy": "a", "sizing.extraGroups": "name=a type=cpu.huge",
	} {
		answers := grouped()
		err := answers.Set(key, strings.Repeat(item+",", 256)+item, wizard.Typed)
		if err == nil || !strings.Contains(err.Error(), "has 257 items  allowed: at most 256") {
			t.Errorf("%s: %v", key, err)
		}
	}
	answers := grouped()
	if err := answers.Set("cluster.displayName", strings.Repeat("a", 65537), wizard.Typed); err == nil || len(err.Error()) > 200 {
		t.Errorf("more than an answers file holds: %v", err)
	}
}
