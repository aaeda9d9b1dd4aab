package resource

// ZoneNames returns all zones in the order of the live service.
func ZoneNames() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "de-fra-1", "bg-sof-1", "de-muc-1", "at-vie-2", "hr-zag-1"}
}
