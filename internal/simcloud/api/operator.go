package api

import "time"

// Operator changes objects without requests, as another operator of the organizations would.
type Operator struct{ api *API }

// RemoveRules removes the ingress rules that cover port from all groups whose names end with groupSuffix, as another operator
// would, and returns their number.
func (o Operator) RemoveRules(groupSuffix string, port int) int {
	return o.api.change(func() int { return o.api.networking.SecurityGroups.RemoveRules(groupSuffix, port) })
}

// RemoveRecords removes the records for whose names gone returns true from all zones, as another operator would, and returns their
// number. Names are relative to their zone.
func (o Operator) RemoveRecords(gone func(name string) bool) int {
	return o.api.change(func() int { return o.api.domains.RemoveRecords(gone) })
}

// MoveRecords changes the content of address records for whose names moved returns true, as another operator would, and returns
// their number. Names are relative to their zone.
func (o Operator) MoveRecords(moved func(name string) bool, address string) int {
	return o.api.change(func() int { return o.api.domains.MoveRecords(moved, address) })
}

// StopInstances begins to stop the running instances whose names begin with prefix and that were created at least age ago, as
// another operator would, and returns their number.
func (o Operator) StopInstances(prefix string, age time.Duration) int {
	return o.api.change(func() int { return o.api.compute.Instances.Stop(prefix, age) })
}

// DetachElasticIPs detaches all elastic IPs from their instances, as another operator would, and returns the number of
// attachments.
func (o Operator) DetachElasticIPs() int {
	return o.api.change(func() int { return o.api.networking.ElasticIPs.Detach() })
}

// RevokeKeys deletes the API keys whose names contain part, and returns their number.
func (o Operator) RevokeKeys(part string) int {
	return o.api.change(func() int { return o.api.iam.Keys.Revoke(part) })
}

// ReplaceImages replaces the images of CoreOS that organizations have registered by those of another build, as another
// operator's registration under the same name would, and returns their number.
func (o Operator) ReplaceImages(build string) int {
	return o.api.change(func() int { return o.api.compute.Templates.ReplaceBuilds(build) })
}
