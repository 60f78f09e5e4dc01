// An MCP server on stdio that reads messages as most servers in Go do: encoding/json into structs with tags, which takes
// a member whose name differs in case for the same, and lets the last of two win.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			Amount float64 `json:"amount"`
		} `json:"arguments"`
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"params"`
}

var held []json.RawMessage

func send(format string, values ...any) {
	fmt.Printf(format+"\n", values...)
}

func say(id json.RawMessage, text string) {
	quoted, _ := json.Marshal(text)
	send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, id, quoted)
}

func call(m message) {
	if m.Params.Meta.ProgressToken != nil {
		send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":"of %s"}}`,
			m.Params.Meta.ProgressToken, m.Params.Name)
	}
	switch m.Params.Name {
	case "hold":
		held = append(held, m.ID)
	case "release":
		for _, id := range held {
			say(id, "held")
		}
		held = nil
		say(m.ID, "released")
	case "requests":
		ids, _ := json.Marshal(held)
		say(m.ID, string(ids))
	default:
		say(m.ID, fmt.Sprintf("%s paid %v", m.Params.Name, m.Params.Arguments.Amount))
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch {
		case m.Method == "initialize":
			version, _ := json.Marshal(m.Params.ProtocolVersion)
			send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{"tools":{}},"serverInfo":{"name":"go","version":"1"}}}`, m.ID, version)
		case m.Method == "tools/call" && m.ID != nil:
			call(m)
		case m.ID != nil:
			send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}
