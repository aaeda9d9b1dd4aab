package openshift

import (
	"encoding/json"
	"sync"
)

// recorder writes what bootstrap-service-record.sh does for the services of the real bootstrap machine: a list of entries
// for each, in a file of its own.
type recorder struct {
	machine *JournaledMachine
	mu      sync.Mutex
}

// recordEntry is an entry; fields that are empty are left out.
type recordEntry struct {
	Timestamp    string `json:"timestamp"`
	Phase        string `json:"phase"`
	Stage        string `json:"stage,omitempty"`
	Result       string `json:"result,omitempty"`
	ErrorLine    string `json:"errorLine,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
}

// Phases and results of entries.
const (
	serviceStart = "service start"
	serviceEnd   = "service end"
	stageStart   = "stage start"
	stageEnd     = "stage end"
	success      = "success"
	failed       = "failure"
)

// milestone is what one of our stages is to the real services, whose own are finer.
type milestone struct {
	service string
	opens   bool     // the service starts with it
	passed  []string // stages that are over in no time, before
	stage   string   // that is entered, unless the service is in it already
	leaves  string   // the stage that its end ends
	closes  bool     // the service ends with it
}

// milestones are by our stages. Those of services other than bootkube are from the installer's scripts.
func milestones() map[string]milestone {
	const bootkube = "bootkube"
	itself := func(stage string) milestone { return milestone{service: bootkube, stage: stage, leaves: stage} }
	return map[string]milestone{
		"release-image": {service: "release-image", opens: true, stage: "pull-release-image", leaves: "pull-release-image", closes: true},
		// What these two record is not known.
		"node-image-pull":    {service: "node-image-pull", opens: true, closes: true},
		"node-image-overlay": {service: "node-image-overlay", opens: true, closes: true},
		"mco-render": {service: bootkube, opens: true, stage: "mco-bootstrap", passed: []string{
			"openshift-manifests", "api-bootstrap", "auth-api-bootstrap", "config-bootstrap", "cvo-bootstrap", "etcd-bootstrap",
			"kube-apiserver-bootstrap", "kube-controller-manager-bootstrap", "kube-scheduler-bootstrap",
			"ingress-operator-bootstrap", "node-tuning-bootstrap"}},
		"mco-bootstrap":            itself("mco-bootstrap"),
		"etcd-bootstrap":           {service: bootkube, passed: []string{"resolve-api-url", "resolve-api-int-url", "cco-bootstrap"}, stage: "wait-for-etcd"},
		"wait-for-etcd":            itself("wait-for-etcd"),
		"kube-apiserver-bootstrap": {service: bootkube, stage: "cb-bootstrap"},
		"cb-bootstrap":             itself("cb-bootstrap"),
		"cvo-overrides":            itself("cvo-overrides"),
		"wait-for-ceo":             itself("wait-for-ceo"),
		"check-api-url":            itself("check-api-url"),
		"check-api-int-url":        itself("check-api-int-url"),
		".bootkube":                {service: bootkube, closes: true},
		"approve-csr":              {service: "approve-csr", opens: true, closes: true},
		"progress": {service: "progress", opens: true, passed: []string{"wait-for-bootstrap-complete"},
			stage: "report-bootstrap-complete", leaves: "report-bootstrap-complete", closes: true},
	}
}

// serviceOf returns the service that one of our stages belongs to.
func serviceOf(stage string) string {
	if m, known := milestones()[stage]; known {
		return m.service
	}
	return "bootkube"
}

// resume notes that services which had not ended are started again.
func (r *recorder) resume() {
	for _, service := range recordedServices() {
		r.change(service, func(entries []recordEntry) []recordEntry {
			if len(entries) == 0 || entries[len(entries)-1].Phase == serviceEnd {
				return nil
			}
			return []recordEntry{{Phase: serviceStart}}
		})
	}
}

// begin notes that one of our stages begins.
func (r *recorder) begin(stage string) {
	m, known := milestones()[stage]
	if !known {
		return
	}
	r.change(m.service, func(entries []recordEntry) (more []recordEntry) {
		if m.opens && !running(entries) {
			more = append(more, recordEntry{Phase: serviceStart})
		}
		for _, passed := range m.passed {
			more = append(more, recordEntry{Phase: stageStart, Stage: passed}, recordEntry{Phase: stageEnd, Stage: passed, Result: success})
		}
		if m.stage != "" && current(entries) != m.stage {
			more = append(more, recordEntry{Phase: stageStart, Stage: m.stage})
		}
		return more
	})
}

// end notes that one of our stages is over.
func (r *recorder) end(stage string) {
	m, known := milestones()[stage]
	if !known {
		return
	}
	r.change(m.service, func([]recordEntry) (more []recordEntry) {
		if m.leaves != "" {
			more = append(more, recordEntry{Phase: stageEnd, Stage: m.leaves, Result: success})
		}
		if m.closes {
			more = append(more, recordEntry{Phase: serviceEnd, Result: success})
		}
		return more
	})
}

// fail notes that a try of one of our stages failed, and that the next one begins.
func (r *recorder) fail(stage, message string) {
	m, known := milestones()[stage]
	if !known || m.stage == "" {
		return
	}
	r.change(m.service, func([]recordEntry) []recordEntry {
		return []recordEntry{{Phase: stageEnd, Stage: m.stage, Result: failed, ErrorMessage: message}, {Phase: stageStart, Stage: m.stage}}
	})
}

// change adds entries to a service's record. A disk that cannot be written to has none.
func (r *recorder) change(service string, more func([]recordEntry) []recordEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := recordsDir + service + ".json"
	var entries []recordEntry
	if content, ok := r.machine.ReadFile(file); ok && json.Unmarshal(content, &entries) != nil {
		return
	}
	added := more(entries)
	if len(added) == 0 {
		return
	}
	for i := range added {
		added[i].Timestamp = r.machine.timestamp()
	}
	content, err := json.MarshalIndent(append(entries, added...), "", "  ")
	if err == nil {
		err = r.machine.WriteFile(file, append(content, '\n'))
	}
	if err != nil {
		r.machine.Console("%s.service: %v", service, err)
	}
}

// running tells whether a service was started and has not ended.
func running(entries []recordEntry) bool {
	return len(entries) > 0 && entries[len(entries)-1].Phase != serviceEnd
}

// current returns the stage that a service is in.
func current(entries []recordEntry) string {
	if len(entries) > 0 && entries[len(entries)-1].Phase == stageStart {
		return entries[len(entries)-1].Stage
	}
	return ""
}
