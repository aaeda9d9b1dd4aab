package installer

func (run *invocation) printStream() int { return exitFatal }
