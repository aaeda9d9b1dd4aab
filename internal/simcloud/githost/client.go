package githost
