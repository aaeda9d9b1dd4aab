package api_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
	"github.com/exoscale/egoscale/v2/oapi"
	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/store"
)

func TestInstance_RunsAfterOperation(t *testing.T) {
	inBubble(t, nil, func(w world) {
		body := oapi.CreateInstanceJSONRequestBody{
			Name: ptr("one"), DiskSize: 50, UserData: ptr(base64.StdEncoding.EncodeToString([]byte("hello"))),
			InstanceType: oapi.InstanceType{Id: ptr("c6f99499-7f59-4138-9427-a09db13af2bc")},
		}
		image, err := w.client.GetTemplateByName(w.ctx(), zone, "Linux Debian 12 (Bookworm) 64-bit", "public")
		w.must(err)
		body.Template.Id = image.ID
		answer, err := w.client.CreateInstanceWithResponse(w.ctx(), body)
		w.must(err)
		op := answer.JSON200
		if *op.State != "pending" || *op.Reference.Command != "get-instance" || *op.Reference.Link != "/v2/instance/"+*op.Reference.Id {
			t.Errorf("operation: %s", answer.Body)
		}
		made := w.api.Instances()[0]
		if made.State != "starting" || string(made.UserData) != "hello" || made.Type != "standard.large" {
			t.Errorf("at once: %+v", made)
		}
		if !strings.HasPrefix(made.Address.String(), "198.18.") {
			t.Errorf("address %v", made.Address)
		}
		<-w.api.Changed()
		began := time.Now()
		<-w.api.Changed() // without any request
		if took := time.Since(began); took < 15*time.Second || took > 25*time.Second {
			t.Errorf("ran after %v", took)
		}
		if state := w.api.Instances()[0].State; state != "running" {
			t.Errorf("state %s", state)
		}
		done, err := w.client.GetOperationWithResponse(w.ctx(), *op.Id)
		w.must(err)
		if *done.JSON200.State != "success" || *done.JSON200.Reference.Id != made.ID {
			t.Errorf("operation: %s", done.Body)
		}
	})
}

func TestInstance_EmptyListsAndTypes(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", nil)
		w.must(err)
		answer, err := w.client.GetInstanceWithResponse(w.ctx(), *i.ID)
		w.must(err)
		for _, want := range []string{
			`"elastic-ips":[]`, `"private-networks":[]`, `"snapshots":[]`, `"anti-affinity-groups":[]`, `"labels":{}`,
			`"ssh-keys":[]`, `"secureboot-enabled":false`, `"tpm-enabled":false`, `"mac-address":"06:`, `"disk-size":50`,
		} {
			if !strings.Contains(string(answer.Body), want) {
				t.Errorf("no %s in %s", want, answer.Body)
			}
		}
		if len(*answer.JSON200.SecurityGroups) != 1 {
			t.Error("the default group is missing")
		}
	})
}

func TestInstance_Lifecycle(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", func(i *egoscale.Instance) { i.Labels = &map[string]string{"a": "1"} })
		w.must(err)
		i.Labels, i.Name = &map[string]string{"b": "2"}, ptr("renamed")
		w.must(w.client.UpdateInstance(w.ctx(), zone, i))
		i, err = w.client.FindInstance(w.ctx(), zone, "renamed")
		w.must(err)
		if diff := cmp.Diff(&map[string]string{"b": "2"}, i.Labels); diff != "" {
			t.Error(diff)
		}
		w.refused(w.client.ResetInstance(w.ctx(), zone, i))
		w.must(w.client.StopInstance(w.ctx(), zone, i))
		w.must(w.client.ResizeInstanceDisk(w.ctx(), zone, i, 100))
		w.refused(w.client.ResizeInstanceDisk(w.ctx(), zone, i, 60))
		w.must(w.client.StartInstance(w.ctx(), zone, i))
		if got := w.api.Instances()[0]; got.State != "running" {
			t.Errorf("state %s", got.State)
		}
		w.must(w.client.DeleteInstance(w.ctx(), zone, i))
		w.missing(w.client.DeleteInstance(w.ctx(), zone, i))
		if got := w.api.Instances(); len(got) != 0 {
			t.Errorf("still there: %v", got)
		}
	})
}

func TestInstance_RefusesInvalid(t *testing.T) {
	inBubble(t, nil, func(w world) {
		tests := map[string]func(*egoscale.Instance){
			"disk too small": func(i *egoscale.Instance) { i.DiskSize = ptr(int64(9)) },
			"disk too large": func(i *egoscale.Instance) { i.DiskSize = ptr(int64(51201)) },
			"long user-data": func(i *egoscale.Instance) { i.UserData = ptr(strings.Repeat("A", 32772)) },
			"no base64":      func(i *egoscale.Instance) { i.UserData = ptr("?!") },
			"empty name":     func(i *egoscale.Instance) { i.Name = ptr("") },
			"group named twice": func(i *egoscale.Instance) {
				i.SecurityGroupIDs = &[]string{"x", "x"}
			},
		}
		for name, change := range tests {
			if _, err := w.instance("one", change); err == nil {
				t.Errorf("%s: accepted", name)
			} else {
				w.refused(err)
			}
		}
		_, err := w.instance("one", func(i *egoscale.Instance) { i.UserData = ptr(strings.Repeat("A", 32768)) })
		w.must(err)
		_, err = w.instance("one", func(i *egoscale.Instance) { i.SSHKey = ptr("nobody") })
		w.missing(err)
	})
}

func TestInstance_ProtectionPreventsDeletion(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", nil)
		w.must(err)
		_, err = w.client.AddInstanceProtectionWithResponse(w.ctx(), *i.ID)
		w.must(err)
		w.refused(w.client.DeleteInstance(w.ctx(), zone, i))
		_, err = w.client.RemoveInstanceProtectionWithResponse(w.ctx(), *i.ID)
		w.must(err)
		w.must(w.client.DeleteInstance(w.ctx(), zone, i))
	})
}

func TestAntiAffinityGroup_LimitAndUse(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group, err := w.client.CreateAntiAffinityGroup(w.ctx(), zone, &egoscale.AntiAffinityGroup{Name: ptr("masters")})
		w.must(err)
		join := func(i *egoscale.Instance) { i.AntiAffinityGroupIDs = &[]string{*group.ID} }
		var first *egoscale.Instance
		for range 8 {
			first, err = w.instance("m", join)
			w.must(err)
		}
		_, err = w.instance("ninth", join)
		w.refused(err)
		w.refused(w.client.DeleteAntiAffinityGroup(w.ctx(), zone, group))
		list, err := w.client.ListInstances(w.ctx(), zone)
		w.must(err)
		for _, i := range list {
			w.must(w.client.DeleteInstance(w.ctx(), zone, i))
		}
		w.must(w.client.DeleteAntiAffinityGroup(w.ctx(), zone, group))
		_, err = w.client.GetInstance(w.ctx(), zone, *first.ID)
		w.missing(err)
	})
}

func TestOperation_ResumesAfterKill(t *testing.T) {
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := open(t, db, nil)
		op := w.begin("one")
		w.api.Close()

		w = open(t, db, nil)
		defer w.api.Close()
		if got := w.api.Instances(); len(got) != 1 || got[0].State != "starting" {
			t.Errorf("after a restart: %+v", got)
		}
		<-w.api.Changed()
		if got := w.api.Instances()[0]; got.State != "running" {
			t.Errorf("state %s", got.State)
		}
		answer, err := w.client.GetOperationWithResponse(w.ctx(), op)
		w.must(err)
		if *answer.JSON200.State != "success" {
			t.Errorf("operation: %s", answer.Body)
		}
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// begin creates an instance and returns the operation without waiting for it.
func (w world) begin(name string) string {
	w.Helper()
	image, err := w.client.GetTemplateByName(w.ctx(), zone, "Linux Debian 12 (Bookworm) 64-bit", "public")
	w.must(err)
	answer, err := w.client.CreateInstanceWithResponse(w.ctx(), oapi.CreateInstanceJSONRequestBody{
		Name: &name, DiskSize: 50, Template: oapi.Template{Id: image.ID},
		InstanceType: oapi.InstanceType{Id: ptr("c6f99499-7f59-4138-9427-a09db13af2bc")},
	})
	w.must(err)
	return *answer.JSON200.Id
}
