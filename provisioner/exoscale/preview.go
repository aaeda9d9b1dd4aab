package exoscale

// WithPreview returns a client that reads but changes nothing: its methods return the actions that they would take, and change
// neither the cloud nor the journal. What would be created has no ID and no address; "" is used in their place.
func (c *Client) WithPreview() *Client {
	return &Client{
		api: c.api, http: c.http, rest: c.rest, zone: c.zone, clock: c.clock, journal: c.journal, preview: true,
	}
}

func (c *Client) isPreviewID(id string) bool { return c.preview && id == "" }
