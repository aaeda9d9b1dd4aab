package alerts

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"
)

// silenceAuthor is who has made the silences.
const silenceAuthor = "exoshift"

// alertmanagerSilence is a silence of Alertmanager's API, version 2.
type alertmanagerSilence struct {
	ID       string    `json:"id,omitempty"`
	Matchers []matcher `json:"matchers"`
	StartsAt time.Time `json:"startsAt"`
	EndsAt   time.Time `json:"endsAt"`
	Author   string    `json:"createdBy"`
	Comment  string    `json:"comment"`
	Status   *struct {
		State string `json:"state"`
	} `json:"status,omitempty"`
}

type matcher struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	IsRegex bool   `json:"isRegex"`
	IsEqual bool   `json:"isEqual"`
}

// Silence silences the alerts with a label from now on, by the time of the caller's clock; a silence with the same comment that is active is
// extended. It uses the account of the cluster's Prometheus, as ListAlerts does.
func (c *Alertmanager) Silence(ctx context.Context, label, value, comment string, now time.Time, length time.Duration) error {
	session, err := c.openSession(ctx)
	if err != nil {
		return err
	}
	defer session.client.CloseIdleConnections()
	active, err := session.listSilences(ctx, comment)
	if err != nil {
		return err
	}
	wanted := alertmanagerSilence{
		Matchers: []matcher{{Name: label, Value: value, IsEqual: true}}, StartsAt: now.UTC(), EndsAt: now.Add(length).UTC(), Author: silenceAuthor, Comment: comment,
	}
	if len(active) > 0 {
		wanted.ID, wanted.StartsAt = active[0].ID, active[0].StartsAt
	}
	content, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	_, err = session.request(ctx, http.MethodPost, "/api/v2/silences", content)
	return err
}

// EndSilence ends the silences with that comment that are active.
func (c *Alertmanager) EndSilence(ctx context.Context, comment string) error {
	session, err := c.openSession(ctx)
	if err != nil {
		return err
	}
	defer session.client.CloseIdleConnections()
	active, err := session.listSilences(ctx, comment)
	if err != nil {
		return err
	}
	for _, one := range active {
		if _, err := session.request(ctx, http.MethodDelete, "/api/v2/silence/"+one.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// session is a connection to Alertmanager's API.
type session struct {
	client *http.Client
	origin string // of its URL
	token  string
}

func (c *Alertmanager) openSession(ctx context.Context) (*session, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	client, err := newIngressClient(ctx, api)
	if err != nil {
		return nil, err
	}
	address, err := getAlertsURL(ctx, api)
	if err != nil {
		return nil, err
	}
	origin, _, _ := strings.Cut(address, "/api/")
	token, err := createMonitoringToken(ctx, api)
	return &session{client, origin, token}, err
}

// listSilences returns those that are active; comment "" is any.
func (s *session) listSilences(ctx context.Context, comment string) (active []alertmanagerSilence, err error) {
	content, err := s.request(ctx, http.MethodGet, "/api/v2/silences", nil)
	if err != nil {
		return nil, err
	}
	var all []alertmanagerSilence
	if json.Unmarshal(content, &all) != nil {
		return nil, fault.Newf(fault.Internal, silenceOp, "not a response of Alertmanager")
	}
	for _, one := range all {
		if one.Author == silenceAuthor && (comment == "" || one.Comment == comment) && one.Status != nil && one.Status.State != "expired" {
			one.Status = nil
			active = append(active, one)
		}
	}
	return active, nil
}

const silenceOp = "silence alerts"

func (s *session) request(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, alertsTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, s.origin+path, bytes.NewReader(body))
	if err != nil {
		return nil, fault.Newf(fault.Internal, silenceOp, "the route's host is not a valid name")
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fault.New(fault.Transient, silenceOp, kubeapi.DescribeDirectError(err))
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, fault.New(fault.Transient, silenceOp, network.DescribeError(err))
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return nil, fault.Newf(fault.Denied, silenceOp, "Alertmanager rejects the account of the cluster's Prometheus (%d)", response.StatusCode)
	case response.StatusCode >= http.StatusInternalServerError:
		return nil, fault.Newf(fault.Transient, silenceOp, "Alertmanager responds %d", response.StatusCode)
	case response.StatusCode >= http.StatusMultipleChoices:
		return nil, fault.Newf(fault.Internal, silenceOp, "Alertmanager answers %d", response.StatusCode)
	}
	return content, nil
}

// ListSilences returns the comments of the silences of exoshift that are active.
func (c *Alertmanager) ListSilences(ctx context.Context) (comments []string, err error) {
	session, err := c.openSession(ctx)
	if err != nil {
		return nil, err
	}
	defer session.client.CloseIdleConnections()
	active, err := session.listSilences(ctx, "")
	for _, one := range active {
		comments = append(comments, kubeapi.Sanitize(one.Comment))
	}
	return comments, err
}
