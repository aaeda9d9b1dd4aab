package kubeapi

// Condition is a condition in an object's status.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Changed string `json:"lastTransitionTime"` // by the server's clock, RFC 3339; "" if unknown
}

// Conditions are those of one object, each of another type.
type Conditions []Condition

// Find returns the condition of a type, or the zero Condition.
func (c Conditions) Find(kind string) Condition {
	for _, candidate := range c {
		if candidate.Type == kind {
			return candidate
		}
	}
	return Condition{}
}

// Is reports whether the condition of a type is True.
func (c Conditions) Is(kind string) bool { return c.Find(kind).Status == "True" }

// Named is the metadata of an object of which only the name counts.
type Named struct {
	Name string `json:"name"`
}
