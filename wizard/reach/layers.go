package reach

import "strings"

// FormatLine writes the layers in a line: "DNS ok, TCP ok, TLS FAILED, HTTP -".
func (l Layers) FormatLine() string {
	words := make([]string, 0, 4)
	for _, layer := range l.list() {
		words = append(words, layer.name+" "+layer.state.formatState())
	}
	return strings.Join(words, ", ")
}

// FindFailed returns the name of the first layer that failed, or "".
func (l Layers) FindFailed() string {
	for _, layer := range l.list() {
		if layer.state == LayerFail {
			return layer.name
		}
	}
	return ""
}

type namedLayer struct {
	name  string
	state Layer
}

func (l Layers) list() []namedLayer {
	return []namedLayer{{"DNS", l.DNS}, {"TCP", l.TCP}, {"TLS", l.TLS}, {"HTTP", l.HTTP}}
}

func (l Layer) formatState() string {
	switch l {
	case LayerOK:
		return "ok"
	case LayerFail:
		return "FAILED"
	}
	return "-"
}
