//go:build tools

// Package tools pins Docker Compose, which the container tests build once from the Go module proxy.
package tools

import _ "github.com/docker/compose/v2/cmd"
