package exoscale

// WithPreview returns a client that looks but changes nothing: what it would do it reports by its actions, and neither
// the cloud nor the journal learns of it. What would be created has no ID and no address, and where one is asked for,
// "" stands for it.
func (c *Client) WithPreview() *Client {
	return &Client{
		api: c.api, http: c.http, rest: c.rest, zone: c.zone, clock: c.clock, journal: c.journal, preview: true,
	}
}

// isPreviewID tells whether an ID is that of an object that a preview would have created.
func (c *Client) isPreviewID(id string) bool { return c.preview && id == "" }
