package reach

import "strings"

// Page is the documentation page of a check; "" for those that the operator added.
func (c Check) Page() string {
	if c.ID == "" || c.Group == Customer {
		return ""
	}
	return "docs/endpoints.md#" + strings.ToLower(c.ID)
}
