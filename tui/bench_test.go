package tui

import "testing"

func BenchmarkViewOfAThousandNodes(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		d := screen(thousand(), size[0], size[1], nil)
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				_ = d.View()
			}
		})
	}
}
