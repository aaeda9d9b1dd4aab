package tui

import (
	"strings"

	"exoshift/tui/pane"
)

// controlPlane shows bootstrap and etcd in one pane: beside each other where it is wide enough.
type controlPlane struct {
	bootstrap pane.Bootstrap
	etcd      pane.Etcd
	beside    bool
}

func (v controlPlane) View(width, height int) string {
	if v.beside || height < 17 && width >= 70 {
		left := strings.Split(v.bootstrap.View(width/2, height), "\n")
		right := strings.Split(v.etcd.View(width-width/2-3, height), "\n")
		for i := range left {
			left[i] += "   " + right[i]
		}
		return pane.Fill(left, width, height)
	}
	top := min(12, max(height-5, 0))
	lines := strings.Split(v.bootstrap.View(width, top), "\n")
	lines = append(lines, strings.Split(v.etcd.View(width, height-top), "\n")...)
	return pane.Fill(lines, width, height)
}
