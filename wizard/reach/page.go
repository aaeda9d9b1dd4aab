package reach

import "strings"

// Page is where the documentation says more about a check; "" for those that the operator added.
func (c Check) Page() string {
	if c.ID == "" || c.Group == Customer {
		return ""
	}
	return "docs/endpoints.md#" + strings.ToLower(c.ID)
}
