// A peer on a Go SDK: `peers SDK serve|stdio|converse`. It ends with its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

type sdk struct {
	// Handlers by kind, and the path of each.
	serve func(kind, origin string) http.Handler
	kinds []string
	stdio func()
	open  func(target target, onMessage func(method string, params any)) (peer, error)
}

var sdks = map[string]sdk{"go-sdk": goSDK, "mcp-go": mcpGo}

// What a client connects to: an address, or a command whose process speaks stdio.
type target struct {
	URL     string   `json:"url"`
	Command []string `json:"command"`
}

func main() {
	chosen := sdks[os.Args[1]]
	switch os.Args[2] {
	case "serve":
		serve(chosen)
		io.Copy(io.Discard, os.Stdin)
	case "stdio":
		chosen.stdio()
	case "converse":
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			var asked target
			check(json.Unmarshal(lines.Bytes(), &asked))
			text, err := json.Marshal(converse(chosen, asked))
			check(err)
			fmt.Println(string(text))
		}
	}
}

// serve offers every kind of server over HTTP, and writes their addresses in one line.
func serve(chosen sdk) {
	addresses := map[string]string{}
	for _, kind := range chosen.kinds {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		origin := "http://" + listener.Addr().String()
		addresses[kind] = origin + "/mcp"
		if kind == "sse" {
			addresses[kind] = origin + "/sse"
		}
		go http.Serve(listener, chosen.serve(kind, origin))
	}
	text, err := json.Marshal(addresses)
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
