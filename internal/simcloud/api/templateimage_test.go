package api

import "testing"

func TestThePlatformIsFoundWhereverTheImageIsCut(t *testing.T) {
	for _, image := range []string{
		"QFI\xfb before ignition.platform.id=exoscale after",
		"QFI\xfb ends with ignition.platform.id=exoscale",
	} {
		for cut := range len(image) {
			var s scanner
			for _, part := range []string{image[:cut], image[cut:]} {
				if _, err := s.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			if s.found() != "exoscale" || string(s.head) != "QFI\xfb" {
				t.Errorf("cut at %d: platform %q, head %q", cut, s.found(), s.head)
			}
		}
	}
}
