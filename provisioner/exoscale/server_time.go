package exoscale

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"exoshift/internal/fault"
)

// GetServerTime returns the time of the API's clock, from the Date header of a response and therefore in whole seconds. The
// request is unsigned, because the API refuses a signature made with a wrong clock.
func (c *Client) GetServerTime(ctx context.Context) (time.Time, error) {
	const op = "read the clock of the API"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.rest.base+"/zone", http.NoBody)
	if err != nil {
		return time.Time{}, fault.New(fault.Internal, op, err)
	}
	answer, err := c.rest.http.Do(request)
	if err != nil {
		return time.Time{}, c.translate(ctx, op, err)
	}
	defer func() { _ = answer.Body.Close() }()
	date, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return time.Time{}, fault.New(fault.Internal, op, errors.Join(fmt.Errorf("the answer has no date"), err)).
			WithHint("check whether a proxy takes headers off the API's answers")
	}
	return date, nil
}
