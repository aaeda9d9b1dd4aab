package fault

import "strings"

// Reasons is the cause of a refusal that has several of them. Its text is one line; console output has a line for each.
type Reasons []string

func (r Reasons) Error() string { return strings.Join(r, "; ") }
