package release

import (
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// LinuxFIPS is the file in which Linux says whether it is in FIPS mode; openshift-install reads it, too.
const LinuxFIPS = "/proc/sys/crypto/fips_enabled"

// fipsField is the answer that asks for FIPS mode.
const fipsField = "openshift.fips"

const fipsHint = "run exoshift on RHEL 9 for x86_64 installed in FIPS mode, or remove " + fipsField

// checkHost refuses a machine on which openshift-install would refuse a cluster in FIPS mode, before anything is downloaded.
func checkHost(c Choice) error {
	if !c.FIPS || c.HostFIPS == "" {
		return nil
	}
	const op = "check this machine for a cluster in FIPS mode"
	content, err := fileread.Text(c.HostFIPS, fileread.Small)
	if err != nil {
		return fault.New(fault.Invalid, op, err).WithHint(fipsHint).WithField(fipsField)
	}
	if strings.TrimSpace(string(content)) != "1" {
		return fault.Newf(fault.Invalid, op, "it is not in FIPS mode itself, which openshift-install requires").WithHint(fipsHint).WithField(fipsField)
	}
	return nil
}

// The build for FIPS is one archive, for RHEL 9 on x86_64. Its name has no version: that it is the wanted one is what the program
// itself reports, as of every other.
const (
	fipsArchive = programName + "-rhel9-amd64.tar.gz"
	fipsProgram = programName + "-fips" // its name in the archive
)
