package schema

import (
	"bytes"
	"encoding/json"
)

// ordered is a JSON object that keeps the order of its keys: editors offer the keys of a schema in it.
type ordered []any

// MarshalJSON writes the entries in their order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, part := range o {
		switch {
		case i%2 == 1:
			out.WriteByte(':')
		case i > 0:
			out.WriteByte(',')
		}
		text, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		out.Write(text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
