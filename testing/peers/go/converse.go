package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Times that a call is repeated whose notification was not heard, because a stream for it is opened beside the calls.
const (
	maxRepeats = 100
	pause      = 100 * time.Millisecond
	// More than any step needs.
	stepLimit = 60 * time.Second
)

// One client of an SDK that is connected.
type peer interface {
	describe() any
	listTools() (any, []string, error)
	listPrompts() (any, error)
	listResources() (any, error)
	getPrompt(name string) (any, error)
	readResource(uri string) (any, error)
	// With a progress token, where progress is wanted. Returns the content and its first text.
	call(name string, arguments map[string]any, wantsProgress bool) (any, string, error)
	ping() error
	sessionID() string
	close() error
}

type failure struct {
	Error string `json:"error"`
}

// What each step gave, as a JSON object in the order of the steps.
type conversation []struct {
	step   string
	result any
}

func (c *conversation) add(step string, result any) {
	*c = append(*c, struct {
		step   string
		result any
	}{step, result})
}

func (c conversation) MarshalJSON() ([]byte, error) {
	members := make([]string, 0, len(c))
	for _, each := range c {
		name, err := json.Marshal(each.step)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(each.result)
		if err != nil {
			return nil, err
		}
		members = append(members, string(name)+":"+string(value))
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// converse takes every step; one that fails is its error, and the next one is still taken.
func converse(chosen sdk, asked target) conversation {
	results := conversation{}
	take := func(step string, work func() (any, error)) {
		result, err := work()
		if err != nil {
			results.add(step, failure{err.Error()})
		} else if result != nil {
			results.add(step, result)
		}
	}
	heard := newHeard()
	client, err := chosen.open(asked, heard.add)
	if err != nil {
		results.add("initialize", failure{err.Error()})
		return results
	}
	results.add("initialize", client.describe())
	var tools []string
	take("tools", func() (any, error) {
		listed, names, err := client.listTools()
		tools = names
		return listed, err
	})
	take("prompts", client.listPrompts)
	take("resources", client.listResources)
	take("prompt", func() (any, error) { return client.getPrompt("greet") })
	take("resource", func() (any, error) { return client.readResource("memo://one") })
	take("call", func() (any, error) {
		content, _, err := client.call("echo", map[string]any{"text": "hi \u00e9\u2028"}, false)
		return content, err
	})
	take("progress", func() (any, error) {
		heard.clear()
		content, _, err := client.call("count", map[string]any{}, true)
		return map[string]any{"values": heard.waitForAll("notifications/progress", 3), "content": content}, err
	})
	if slices.Contains(tools, "notify") {
		take("notification", func() (any, error) { return hear(client, heard, "notify", "notifications/message") })
	}
	if slices.Contains(tools, "grow") {
		take("list changed", func() (any, error) {
			params, err := hear(client, heard, "grow", "notifications/tools/list_changed")
			if err != nil {
				return nil, err
			}
			_, names, err := client.listTools()
			slices.Sort(names)
			return map[string]any{"heard": params, "tools": names}, err
		})
	}
	if slices.Contains(tools, "poll") {
		take("resume", func() (any, error) {
			content, _, err := client.call("poll", map[string]any{}, false)
			return content, err
		})
	}
	take("ping", func() (any, error) { return "answered", client.ping() })
	take("reconnect", func() (any, error) {
		other, err := chosen.open(asked, func(string, any) {})
		if err != nil {
			return nil, err
		}
		defer other.close()
		content, _, err := other.call("echo", map[string]any{"text": "again"}, false)
		return content, err
	})
	take("close", func() (any, error) {
		session := client.sessionID()
		if err := client.close(); err != nil || session == "" || asked.URL == "" {
			return "closed", err
		}
		status, err := askAgain(asked.URL, session)
		return map[string]any{"after": status}, err
	})
	return results
}

// hear calls a tool until the server's notification has come.
func hear(client peer, heard *heardMessages, tool, method string) (any, error) {
	heard.clear()
	for range maxRepeats {
		_, text, err := client.call(tool, map[string]any{}, false)
		if err != nil {
			return nil, err
		}
		if text == "none" {
			return "none sent", nil
		}
		time.Sleep(pause)
		if params := heard.list(method); len(params) > 0 {
			return params[0], nil
		}
	}
	return "not heard", nil
}

// askAgain asks for a list in a session that was ended.
func askAgain(url, session string) (int, error) {
	request, err := http.NewRequest("POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		return 0, err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("accept", "application/json, text/event-stream")
	request.Header.Set("mcp-session-id", session)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	response.Body.Close()
	return response.StatusCode, nil
}

type message struct {
	method string
	params any
}

type heardMessages struct {
	mutex    sync.Mutex
	messages []message
}

func newHeard() *heardMessages { return &heardMessages{} }

func (h *heardMessages) add(method string, params any) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.messages = append(h.messages, message{method, params})
}

func (h *heardMessages) clear() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.messages = nil
}

func (h *heardMessages) list(method string) []any {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	params := []any{}
	for _, each := range h.messages {
		if each.method == method {
			params = append(params, each.params)
		}
	}
	return params
}

// waitForAll waits for numbers that an SDK hands on beside the answer.
func (h *heardMessages) waitForAll(method string, count int) []any {
	for range 20 {
		if len(h.list(method)) >= count {
			break
		}
		time.Sleep(pause / 2)
	}
	params := h.list(method)
	// mcp-go hands on each notification in a goroutine of its own.
	slices.SortFunc(params, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) })
	return params
}
