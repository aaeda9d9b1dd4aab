package kubelet

import (
	"encoding/json"
	"errors"
	"time"
)

// How long the certificates of a node are valid by the cluster's clock: the first ones are signed by a signer of one day. While its
// machine runs, a kubelet renews them by itself once renewAt of their life is over; one that was off for longer has to request its
// certificates anew, with the bootstrapper's credentials.
const (
	firstLife   = 24 * time.Hour
	renewedLife = 30 * 24 * time.Hour
	briefLife   = 2 * time.Hour
	renewAt     = 0.8
)

// The life of a certificate is kept beside it: the dates in the certificate itself are by the wall clock.
const lifeSuffix = ".life"

type certificateLife struct {
	Begin time.Time
	Life  time.Duration
}

func (l certificateLife) isOver(now time.Time, part float64) bool {
	return now.After(l.Begin.Add(time.Duration(part * float64(l.Life))))
}

// readLife returns false for a certificate of a zone that kept none.
func (c certificateManager) readLife(file string) (life certificateLife, known bool) {
	content, _ := c.machine.ReadFile(pkiFolder + file + lifeSuffix)
	known = json.Unmarshal(content, &life) == nil
	if c.cluster.Faults.BriefCertificates {
		life.Life = min(life.Life, briefLife)
	}
	return life, known
}

func (c certificateManager) isExpired(file string) bool {
	life, known := c.readLife(file)
	return known && life.isOver(c.cluster.Clock.Now(), 1)
}

// beginLife is for a certificate that was issued or renewed.
func (c certificateManager) beginLife(file string) error {
	life := certificateLife{Begin: c.cluster.Clock.Now(), Life: renewedLife}
	if _, known := c.readLife(file); !known {
		life.Life = firstLife
	}
	content, err := json.Marshal(life)
	return errors.Join(err, c.machine.WriteFile(pkiFolder+file+lifeSuffix, content))
}

// discard has the next poll request another certificate.
func (c certificateManager) discard(want certificateRequest) error {
	c.machine.Console("kubelet: part of the existing bootstrap client certificate in %s is expired", pkiFolder+want.file)
	return errors.Join(c.machine.WriteFile(pkiFolder+want.file+".crt", nil), c.resetRequest(want))
}

// renew renews the certificates of a node whose API answers: the requests of a node for its own next certificates are approved by the
// cluster itself.
func (c certificateManager) renew() {
	now := c.cluster.Clock.Now()
	for _, file := range []string{clientFile, servingFile} {
		life, known := c.readLife(file)
		if !known || life.isOver(now, 1) || !life.isOver(now, renewAt) {
			continue
		}
		if err := c.beginLife(file); err != nil {
			c.machine.Console("kubelet: %v", err)
		}
	}
}
