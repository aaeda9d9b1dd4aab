package fileread

// This does not compile, so that a build for Windows ends with the reason: folders and locks rely on modes and owners of files,
// runs on the signals and terminals of Unix.
const _ uint = "exoshift does not run on Windows: use WSL 2"
