package diagnosis

// Disposition is what a run does about a finding of high confidence. About any other finding it does nothing but report it.
type Disposition string

// The dispositions of rules.
const (
	// Repair: the run adds what is missing, and goes on.
	Repair Disposition = "repair"
	// Stop: nothing that the run does, or waits for, can mend it.
	Stop Disposition = "stop"
	// Wait: a person can mend it while the run waits, or it passes. The rule says which.
	Wait Disposition = "wait"
)

// Describe returns what it means, as a sentence without a full stop.
func (d Disposition) Describe() string {
	switch d {
	case Repair:
		return "the run adds what is missing and continues, unless --no-repair is set; if it was changed since, the run asks first"
	case Stop:
		return "this run cannot fix it: it asks on a terminal, and stops elsewhere, unless --wait-on-failure is set"
	}
	return "the run continues until its time limits"
}

// Part is a kind of objects that a repair restores.
type Part string

// What a repair restores.
const (
	RuleParts       Part = "rules of security groups"
	RecordParts     Part = "DNS records"
	AttachmentParts Part = "attachments of elastic IPs"
	MachineParts    Part = "stopped machines"
	RouterParts     Part = "the placement of routers"
)
