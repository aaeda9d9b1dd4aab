package provisioner

// Reply is the answer to a question: about a finding, or about a slow upload.
type Reply string

// The answers: what a person is asked about, or to go on as before.
const (
	ReplyRepair Reply = "repair" // what somebody has changed
	ReplyStop   Reply = "stop"   // the run
	ReplyCopy   Reply = "copy"   // the image of the nodes, by a machine in the zone
	ReplyWait   Reply = "wait"   // go on, and do nothing about it
)
