package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var goSDK = sdk{
	kinds: []string{"sse", "sessions", "json", "events", "stateless"},
	serve: func(kind, _ string) http.Handler {
		// A server for each session.
		find := func(*http.Request) *mcp.Server { return offerGoSDK(kind) }
		if kind == "sse" {
			return mcp.NewSSEHandler(find, nil)
		}
		options := &mcp.StreamableHTTPOptions{Stateless: kind == "stateless", JSONResponse: kind == "json"}
		if kind == "events" {
			options.EventStore = mcp.NewMemoryEventStore(nil)
		}
		return mcp.NewStreamableHTTPHandler(find, options)
	},
	stdio: func() { offerGoSDK("stdio").Run(context.Background(), &mcp.StdioTransport{}) },
	open:  openGoSDK,
}

type none struct{}

func sayGoSDK(text string) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

func offerGoSDK(kind string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	add := func(name, description string, work func(context.Context, *mcp.CallToolRequest) string) {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: description},
			func(ctx context.Context, request *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
				return sayGoSDK(work(ctx, request))
			})
	}
	type said struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says it again"},
		func(_ context.Context, _ *mcp.CallToolRequest, in said) (*mcp.CallToolResult, any, error) {
			return sayGoSDK(in.Text)
		})
	add("count", "Counts to three", func(ctx context.Context, request *mcp.CallToolRequest) string {
		for progress := 1; progress <= 3; progress++ {
			if token := request.Params.GetProgressToken(); token != nil {
				request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(progress), Total: 3})
			}
		}
		return "counted"
	})
	// It sends log messages only to clients that have named a level, so there is no tool that sends one.
	add("grow", "Adds a tool", func(context.Context, *mcp.CallToolRequest) string {
		if kind == "stateless" {
			return "none"
		}
		add("grown", "Was added", func(context.Context, *mcp.CallToolRequest) string { return "grown" })
		return "sent"
	})
	if kind == "events" {
		add("poll", "Ends its stream before it answers", func(_ context.Context, request *mcp.CallToolRequest) string {
			request.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 50 * time.Millisecond})
			return "answered later"
		})
	}
	server.AddPrompt(&mcp.Prompt{Name: "greet", Description: "Greets"},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			greeting := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: "Hello."}}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{greeting}}, nil
		})
	server.AddResource(&mcp.Resource{URI: "memo://one", Name: "memo", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			memo := &mcp.ResourceContents{URI: "memo://one", MIMEType: "text/plain", Text: "one"}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{memo}}, nil
		})
	return server
}

type goSDKPeer struct{ session *mcp.ClientSession }

func openGoSDK(asked target, onMessage func(string, any)) (peer, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "peer", Version: "1.0.0"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			onMessage("notifications/tools/list_changed", map[string]any{})
		},
		LoggingMessageHandler: func(_ context.Context, request *mcp.LoggingMessageRequest) {
			onMessage("notifications/message", request.Params)
		},
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			onMessage("notifications/progress", request.Params.Progress)
		},
	})
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: asked.URL}
	if len(asked.Command) > 0 {
		transport = &mcp.CommandTransport{Command: exec.Command(asked.Command[0], asked.Command[1:]...)}
	} else if isSSE(asked.URL) {
		transport = &mcp.SSEClientTransport{Endpoint: asked.URL}
	}
	session, err := client.Connect(context.Background(), transport, nil)
	if err != nil {
		return nil, err
	}
	// Servers send log messages from a level on only.
	session.SetLoggingLevel(context.Background(), &mcp.SetLoggingLevelParams{Level: "info"})
	return goSDKPeer{session}, nil
}

func limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), stepLimit)
}

func (p goSDKPeer) describe() any {
	result := p.session.InitializeResult()
	return map[string]any{"protocol": result.ProtocolVersion, "server": result.ServerInfo.Name,
		"capabilities": listMembers(result.Capabilities)}
}

func (p goSDKPeer) listTools() (any, []string, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.session.ListTools(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return result.Tools, names, nil
}

func (p goSDKPeer) listPrompts() (any, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.session.ListPrompts(ctx, nil)
	if err != nil {
		return nil, err
	}
	return result.Prompts, nil
}

func (p goSDKPeer) listResources() (any, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.session.ListResources(ctx, nil)
	if err != nil {
		return nil, err
	}
	return result.Resources, nil
}

func (p goSDKPeer) getPrompt(name string) (any, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name})
	if err != nil {
		return nil, err
	}
	return result.Messages, nil
}

func (p goSDKPeer) readResource(uri string) (any, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, err
	}
	return result.Contents, nil
}

func (p goSDKPeer) call(name string, arguments map[string]any, wantsProgress bool) (any, string, error) {
	ctx, stop := limit()
	defer stop()
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	if wantsProgress {
		params.SetProgressToken("progress")
	}
	result, err := p.session.CallTool(ctx, params)
	if err != nil {
		return nil, "", err
	}
	for _, content := range result.Content {
		if text, isText := content.(*mcp.TextContent); isText {
			return result.Content, text.Text, nil
		}
	}
	return result.Content, "", nil
}

func (p goSDKPeer) ping() error {
	ctx, stop := limit()
	defer stop()
	return p.session.Ping(ctx, nil)
}

func (p goSDKPeer) sessionID() string { return p.session.ID() }

func (p goSDKPeer) close() error { return p.session.Close() }

// listMembers returns the names of the members that a value has as JSON.
func listMembers(value any) []string {
	text, err := json.Marshal(value)
	check(err)
	var members map[string]any
	check(json.Unmarshal(text, &members))
	return slices.Sorted(maps.Keys(members))
}
