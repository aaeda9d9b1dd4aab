package description

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

type classicError struct {
	Message string `json:"message"`
	Errors  []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// problemError is an RFC 9457 problem, which the live service has begun to send.
type problemError struct {
	Type   string            `json:"type"`
	Title  string            `json:"title"`
	Status int               `json:"status"`
	Detail string            `json:"detail"`
	Errors []json.RawMessage `json:"errors"`
}

// checkRefusal validates against the two known forms: the description declares successes only.
func checkRefusal(status int, body []byte) error {
	var plain classicError
	fault := decodeStrict(body, &plain)
	if fault == nil && plain.Message != "" {
		return nil
	}
	var problem problemError
	err := decodeStrict(body, &problem)
	switch {
	case err != nil:
		return fmt.Errorf("the refusal is neither {message} (%w) nor a problem: %w", fault, err)
	case problem.Type == "" || problem.Title == "":
		return errors.New("the refusal has no message, or no type and title")
	case problem.Status != status:
		return fmt.Errorf("the refusal says status %d in a body of status %d", problem.Status, status)
	}
	return nil
}

func decodeStrict(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
