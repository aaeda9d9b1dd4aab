package dashboard

// Player controls the playback of a recorded run. Its methods are called during the playback.
type Player interface {
	Pause() // toggles
	Faster()
	Slower()
	Speed() string // e.g. "paused"
}
