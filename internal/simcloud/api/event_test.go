package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/store"
)

// events lists the audit trail between two times; zero ones are omitted.
func (w world) events(from, to time.Time) []document {
	w.Helper()
	query := url.Values{}
	if !from.IsZero() {
		query.Set("from", from.Format(time.RFC3339))
	}
	if !to.IsZero() {
		query.Set("to", to.Format(time.RFC3339))
	}
	var list []document
	w.must(json.Unmarshal([]byte(w.accepted(http.MethodGet, "/event?"+query.Encode(), "")), &list))
	return list
}

func TestEvents_RegistrationRecorded(t *testing.T) {
	inBubble(t, nil, func(w world) {
		w.accepted(http.MethodPost, "/template", `{"name":"rhcos","url":"`+imageURL+`","checksum":"abc",
			"ssh-key-enabled":true,"password-enabled":false}`)
		w.list("/template") // reads are not recorded
		events := w.events(time.Time{}, time.Time{})
		if len(events) != 1 {
			t.Fatalf("%d events: %v", len(events), events)
		}
		got := events[0]
		body, signer := got["body-params"].(document), got["iam-api-key"].(document)
		if got["handler"] != "register-template" || got["status"] != 200.0 || got["uri"] != "/v2/template" || got["zone"] != zone ||
			body["name"] != "rhcos" || signer["key"] != key || got["request-id"] == "" {
			t.Errorf("event: %v", got)
		}
	})
}

func TestEvents_RefusalsWithoutSecrets(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		w.accepted(http.MethodPut, "/instance/"+*i.ID, `{"user-data":"aGVsbG8="}`)
		w.refuses(http.StatusBadRequest, "stopped", http.MethodPut, "/instance/"+*i.ID+":scale", `{"instance-type":{"id":"`+large+`"}}`)
		w.accepted(http.MethodPost, "/template", `{"name":"rhcos","url":"`+imageURL+`","checksum":"abc",
			"ssh-key-enabled":true,"password-enabled":false}`)
		events := w.events(time.Time{}, time.Time{})
		refused := events[2]
		if refused["handler"] != "scale-instance" || refused["status"] != 400.0 || refused["uri"] != "/v2/instance/"+*i.ID+":scale" ||
			refused["message"] != "The instance needs to be stopped." || refused["path-params"].(document)["id"] != *i.ID {
			t.Errorf("event: %v", refused)
		}
		text, err := json.Marshal(events)
		w.must(err)
		for _, hidden := range []string{"aGVsbG8=", "X-Amz-Signature", secret} {
			if strings.Contains(string(text), hidden) {
				t.Errorf("%s is in %s", hidden, text)
			}
		}
	})
}

func TestEvents_LastDayByDefault(t *testing.T) {
	inBubble(t, nil, func(w world) {
		began := time.Now()
		w.do(http.MethodPost, "/anti-affinity-group", `{"name":"first"}`)
		<-time.After(25 * time.Hour)
		w.do(http.MethodPost, "/anti-affinity-group", `{"name":"second"}`)
		if got := w.events(time.Time{}, time.Time{}); len(got) != 1 || got[0]["body-params"].(document)["name"] != "second" {
			t.Errorf("the last day: %v", got)
		}
		if got := w.events(began, time.Time{}); len(got) != 2 {
			t.Errorf("all: %v", got)
		}
		if got := w.events(began, began.Add(time.Hour)); len(got) != 1 || got[0]["body-params"].(document)["name"] != "first" {
			t.Errorf("the first hour: %v", got)
		}
	})
}

func TestEvents_Persist(t *testing.T) {
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := open(t, db, nil)
		w.do(http.MethodPost, "/anti-affinity-group", `{"name":"g"}`)
		w.api.Close()

		w = open(t, db, nil)
		defer w.api.Close()
		if got := w.events(time.Time{}, time.Time{}); len(got) != 1 || got[0]["handler"] != "create-anti-affinity-group" {
			t.Errorf("after a restart: %v", got)
		}
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
