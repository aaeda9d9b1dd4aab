package compute

import "testing"

func TestScanner_AnySplit(t *testing.T) {
	for _, image := range []string{
		"QFI\xfb title Any CoreOS 9.6.20251212-1 (ostree:0) ignition.platform.id=exoscale after",
		"QFI\xfb Any CoreOS 9.6.20251212-1 ends with ignition.platform.id=exoscale",
		"QFI\xfb ignition.platform.id=exoscale before Any CoreOS 9.6.20251212-1",
	} {
		for cut := range len(image) {
			s := newScanner()
			for _, part := range []string{image[:cut], image[cut:]} {
				if _, err := s.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			if s.platform.result() != "exoscale" || s.build.result() != "9.6.20251212-1" || string(s.head) != "QFI\xfb" {
				t.Errorf("cut at %d: platform %q, build %q, head %q", cut, s.platform.result(), s.build.result(), s.head)
			}
		}
	}
}
