package components

// Scroll returns the number of lines above a window of height lines after it has moved by some of them. The window stays within
// the text.
func Scroll(offset, by, lines, height int) int {
	return min(max(offset+by, 0), max(lines-height, 0))
}
