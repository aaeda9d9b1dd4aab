package simcloud

import (
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/s3"
)

// Counters count what clients have done to a zone.
type Counters struct {
	api     *api.API
	storage *s3.Storage
}

// Mutations returns the number of mutating requests to the API and the object storage since Open.
func (c *Counters) Mutations() int { return c.api.Mutations() + c.storage.Mutations() }

// Uploads returns the number of uploads in parts that were neither completed nor aborted.
func (c *Counters) Uploads() int { return c.storage.Uploads() }
