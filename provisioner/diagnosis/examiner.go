package diagnosis

// Examiner applies the rules to one moment after the other.
type Examiner struct{}

// New returns an examiner that has seen nothing yet.
func New() *Examiner { return &Examiner{} }

// Examine returns what is wrong.
func (*Examiner) Examine(Signs) []Finding { return nil }
