package reach

import "strings"

// Strip writes the layers in a line: "DNS ok, TCP ok, TLS FAILED, HTTP -".
func (l Layers) Strip() string {
	words := make([]string, 0, 4)
	for _, layer := range l.named() {
		words = append(words, layer.name+" "+layer.state.word())
	}
	return strings.Join(words, ", ")
}

// Failed returns the name of the first layer that failed, or "".
func (l Layers) Failed() string {
	for _, layer := range l.named() {
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

func (l Layers) named() []namedLayer {
	return []namedLayer{{"DNS", l.DNS}, {"TCP", l.TCP}, {"TLS", l.TLS}, {"HTTP", l.HTTP}}
}

func (l Layer) word() string {
	switch l {
	case LayerOK:
		return "ok"
	case LayerFail:
		return "FAILED"
	}
	return "-"
}
