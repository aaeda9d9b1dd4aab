package ignition

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_2"
	"github.com/coreos/ignition/v2/config/v3_2/types"

	"exoshift/internal/fault"
)

// userDataLimit is the base64 length from which on Exoscale's own tools refuse user-data.
const userDataLimit = 32768

var hostnamePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`)

// CheckSize fails with fault.Invalid if user-data is too long for an instance.
func CheckSize(op string, userData []byte) error {
	length := base64.StdEncoding.EncodedLen(len(userData))
	if length < userDataLimit {
		return nil
	}
	return fault.Newf(fault.Invalid, op, "user-data is %d characters long in base64, the limit is %d", length, userDataLimit-1).
		WithHint("move large parts behind a link that the machine fetches; compression does not help, as Ignition would not unpack it")
}

func (p Pointer) check() error {
	const op = "describe machine"
	if !p.Unnamed && (!hostnamePattern.MatchString(p.Hostname) || len(p.Hostname) > 63) {
		return fault.Newf(fault.Invalid, op, "%q is not a valid host name", p.Hostname).
			WithHint("use at most 63 lowercase letters, digits, hyphens and dots")
	}
	switch {
	case p.Source == "":
		return fault.Newf(fault.Invalid, op+" "+p.Hostname, "there is no source for its configuration")
	case !strings.HasPrefix(p.Source, "https://"):
		return fault.Newf(fault.Invalid, op+" "+p.Hostname, "its configuration has secrets and would be fetched without TLS")
	}
	return nil
}

// encodeDocument parses the result by Ignition's own library. Warnings are errors, too: a machine that does not boot
// cannot report them.
func encodeDocument(op string, config types.Config) ([]byte, error) {
	encoded, err := json.Marshal(config)
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	_, report, err := v3_2.Parse(encoded)
	if len(report.Entries) > 0 {
		return nil, fault.Newf(fault.Invalid, op, "Ignition rejects the document: %s", report.String())
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	if err := CheckSize(op, encoded); err != nil {
		return nil, err
	}
	return encoded, nil
}
