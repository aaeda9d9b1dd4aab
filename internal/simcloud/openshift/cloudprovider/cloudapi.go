// Package cloudprovider is Exoscale's programs in a simulated cluster: the cloud controller manager and the CSI driver.
package cloudprovider

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/openshift/container"
)

// CloudAPI is a client of the API of Exoscale.
type CloudAPI struct {
	Base    string // without the API version
	Key     string
	Secret  string
	HTTP    *http.Client
	Timeout time.Duration
	clock   network.Clock
}

type cloudInstance struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	PublicIP string `json:"public-ip"`
	Type     struct {
		ID string `json:"id"`
	} `json:"instance-type"`
	Manager struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"manager"`
}

// defaultZone is the zone whose endpoint clients ask for the others.
const defaultZone = "ch-gva-2"

func newCloudAPI(c container.Container, zone string) (CloudAPI, error) {
	env := c.Env
	for _, name := range []string{"EXOSCALE_API_KEY", "EXOSCALE_API_SECRET"} {
		if env[name] == "" {
			return CloudAPI{}, errors.New("could not create Exoscale client: environment variable " + name + " is required")
		}
	}
	base := cmp.Or(env["EXOSCALE_API_ENDPOINT"], "https://api-"+zone+".exoscale.com")
	return CloudAPI{Base: strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v2"), Key: env["EXOSCALE_API_KEY"], Secret: env["EXOSCALE_API_SECRET"],
		HTTP: &http.Client{Transport: c.Machine.Network().NewTransport()}, Timeout: c.Cluster.Timeout(), clock: c.Cluster.Clock}, nil
}

// Close closes the idle connections.
func (c CloudAPI) Close() { c.HTTP.CloseIdleConnections() }

// listInstances returns the zone's instances by ID. Machines of several clusters may have the same name.
func (c CloudAPI) listInstances(ctx context.Context) (map[string]cloudInstance, error) {
	var answer struct{ Instances []cloudInstance }
	if err := c.Get(ctx, "/v2/instance", &answer); err != nil {
		return nil, err
	}
	byID := map[string]cloudInstance{}
	for _, found := range answer.Instances {
		byID[found.ID] = found
	}
	return byID, nil
}

// getInstanceType returns "<family>.<size>".
func (c CloudAPI) getInstanceType(ctx context.Context, id string) (string, error) {
	var answer struct{ Family, Size string }
	err := c.Get(ctx, "/v2/instance-type/"+id, &answer)
	return answer.Family + "." + answer.Size, err
}

type operation struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Message   string `json:"message"`
	Reference struct {
		ID string `json:"id"`
	} `json:"reference"`
}

const operationEvery = 3 * time.Second

func (c CloudAPI) change(ctx context.Context, method, path string, body any) (id string, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	var begun operation
	err = c.call(ctx, method, path, content, &begun)
	for err == nil && begun.State == "pending" {
		if err = c.clock.Sleep(ctx, operationEvery); err == nil {
			err = c.Get(ctx, "/v2/operation/"+begun.ID, &begun)
		}
	}
	if err == nil && begun.State != "success" {
		err = fmt.Errorf("%s %s: operation %s: %s", method, path, begun.State, begun.Message)
	}
	return begun.Reference.ID, err
}

// Get decodes a response.
func (c CloudAPI) Get(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, nil, into)
}

func (c CloudAPI) call(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	c.sign(request, body, time.Now().Add(10*time.Minute))
	response, err := c.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		var refusal struct{ Message string }
		_ = json.NewDecoder(response.Body).Decode(&refusal) // then the status must suffice
		return cloudError{response.StatusCode, fmt.Sprintf("%s %s: %s: %s", method, path, response.Status, refusal.Message)}
	}
	return json.NewDecoder(response.Body).Decode(into)
}

type cloudError struct {
	code    int
	message string
}

func (e cloudError) Error() string { return e.message }

func isGone(err error) bool {
	var answer cloudError
	return errors.As(err, &answer) && answer.code == http.StatusNotFound
}

// sign implements EXO2-HMAC-SHA256. Signatures expire by the wall clock.
func (c CloudAPI) sign(request *http.Request, body []byte, expires time.Time) {
	until := strconv.FormatInt(expires.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(c.Secret))
	mac.Write([]byte(request.Method + " " + request.URL.EscapedPath() + "\n" + string(body) + "\n\n\n" + until))
	request.Header.Set("Authorization", "EXO2-HMAC-SHA256 credential="+c.Key+",expires="+until+",signature="+
		base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
