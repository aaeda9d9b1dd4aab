package text

import "fmt"

// FormatSize formats a number of bytes: 512 B, 3.1 kB, 20 MB. A kilobyte is 1000 bytes.
func FormatSize(bytes int) string {
	const kilo, mega = 1000, 1000 * 1000
	switch {
	case bytes < kilo:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 10*kilo:
		return fmt.Sprintf("%.1f kB", float64(bytes)/kilo)
	case bytes < mega:
		return fmt.Sprintf("%d kB", bytes/kilo)
	case bytes < 10*mega:
		return fmt.Sprintf("%.1f MB", float64(bytes)/mega)
	}
	return fmt.Sprintf("%d MB", bytes/mega)
}
