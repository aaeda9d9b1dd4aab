package wizard

import "fmt"

// DescribeAllowed describes the allowed values, or returns "" if the example suffices.
func (f Field) DescribeAllowed() string {
	switch {
	case len(f.Choices) > 0 || f.Secret:
		return f.formatAllowed()
	case f.Shape() == Switch:
		return string(Switch)
	case f.Shape() != Number:
		return ""
	}
	if least, most := f.findBounds(); least != most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return "exactly " + f.Default()
}
