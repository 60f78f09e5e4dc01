package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

var mcpGo = sdk{
	kinds: []string{"sse", "sessions", "stateless"},
	serve: func(kind, origin string) http.Handler {
		offered := offerMcpGo(kind)
		if kind == "sse" {
			return server.NewSSEServer(offered, server.WithBaseURL(origin))
		}
		return server.NewStreamableHTTPServer(offered, server.WithStateLess(kind == "stateless"))
	},
	stdio: func() { server.ServeStdio(offerMcpGo("stdio")) },
	open:  openMcpGo,
}

func offerMcpGo(kind string) *server.MCPServer {
	offered := server.NewMCPServer("mcp-go", "1.0.0", server.WithToolCapabilities(true), server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(false, true), server.WithLogging())
	add := func(name, description string, work func(context.Context, mcp.CallToolRequest) string, options ...mcp.ToolOption) {
		options = append(options, mcp.WithDescription(description))
		offered.AddTool(mcp.NewTool(name, options...),
			func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText(work(ctx, request)), nil
			})
	}
	add("echo", "Says it again", func(_ context.Context, request mcp.CallToolRequest) string {
		return request.GetString("text", "")
	}, mcp.WithString("text", mcp.Required()))
	add("count", "Counts to three", func(ctx context.Context, request mcp.CallToolRequest) string {
		for progress := 1; progress <= 3; progress++ {
			if request.Params.Meta != nil && request.Params.Meta.ProgressToken != nil {
				offered.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
					"progressToken": request.Params.Meta.ProgressToken, "progress": progress, "total": 3})
				// What is written at once arrives in any order.
				time.Sleep(20 * time.Millisecond)
			}
		}
		return "counted"
	})
	add("notify", "Sends a log message", func(ctx context.Context, _ mcp.CallToolRequest) string {
		if kind == "stateless" {
			return "none"
		}
		offered.SendNotificationToClient(ctx, "notifications/message", map[string]any{"level": "info", "data": "noticed"})
		return "sent"
	})
	// All sessions have one server, so no tool adds another: the next client would have it from the start.
	offered.AddPrompt(mcp.NewPrompt("greet", mcp.WithPromptDescription("Greets")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			greeting := mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Hello."))
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{greeting}), nil
		})
	offered.AddResource(mcp.NewResource("memo://one", "memo", mcp.WithMIMEType("text/plain")),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			memo := mcp.TextResourceContents{URI: "memo://one", MIMEType: "text/plain", Text: "one"}
			return []mcp.ResourceContents{memo}, nil
		})
	return offered
}

type mcpGoPeer struct {
	client    *client.Client
	described any
}

func openMcpGo(asked target, onMessage func(string, any)) (peer, error) {
	opened, err := createMcpGo(asked)
	if err != nil {
		return nil, err
	}
	opened.OnNotification(func(notification mcp.JSONRPCNotification) {
		members := notification.Params.AdditionalFields
		if members == nil {
			members = map[string]any{}
		}
		if notification.Method == "notifications/progress" {
			onMessage(notification.Method, members["progress"])
			return
		}
		onMessage(notification.Method, members)
	})
	if err := opened.Start(context.Background()); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "peer", Version: "1.0.0"}
	ctx, stop := limit()
	defer stop()
	result, err := opened.Initialize(ctx, request)
	if err != nil {
		opened.Close()
		return nil, err
	}
	// Servers send log messages from a level on only.
	level := mcp.SetLevelRequest{}
	level.Params.Level = mcp.LoggingLevelInfo
	opened.SetLevel(ctx, level)
	described := map[string]any{"protocol": result.ProtocolVersion, "server": result.ServerInfo.Name,
		"capabilities": listMembers(result.Capabilities)}
	return mcpGoPeer{opened, described}, nil
}

func createMcpGo(asked target) (*client.Client, error) {
	if len(asked.Command) > 0 {
		started := transport.NewStdio(asked.Command[0], nil, asked.Command[1:]...)
		return client.NewClient(started), nil
	}
	if isSSE(asked.URL) {
		return client.NewSSEMCPClient(asked.URL)
	}
	return client.NewStreamableHttpClient(asked.URL, transport.WithContinuousListening())
}

func isSSE(url string) bool { return strings.HasSuffix(url, "/sse") }

func (p mcpGoPeer) describe() any { return p.described }

func (p mcpGoPeer) listTools() (any, []string, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return result.Tools, names, nil
}

func (p mcpGoPeer) listPrompts() (any, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.client.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	return result.Prompts, nil
}

func (p mcpGoPeer) listResources() (any, error) {
	ctx, stop := limit()
	defer stop()
	result, err := p.client.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	return result.Resources, nil
}

func (p mcpGoPeer) getPrompt(name string) (any, error) {
	ctx, stop := limit()
	defer stop()
	request := mcp.GetPromptRequest{}
	request.Params.Name = name
	result, err := p.client.GetPrompt(ctx, request)
	if err != nil {
		return nil, err
	}
	return result.Messages, nil
}

func (p mcpGoPeer) readResource(uri string) (any, error) {
	ctx, stop := limit()
	defer stop()
	request := mcp.ReadResourceRequest{}
	request.Params.URI = uri
	result, err := p.client.ReadResource(ctx, request)
	if err != nil {
		return nil, err
	}
	return result.Contents, nil
}

func (p mcpGoPeer) call(name string, arguments map[string]any, wantsProgress bool) (any, string, error) {
	ctx, stop := limit()
	defer stop()
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = name, arguments
	if wantsProgress {
		request.Params.Meta = &mcp.Meta{ProgressToken: "progress"}
	}
	result, err := p.client.CallTool(ctx, request)
	if err != nil {
		return nil, "", err
	}
	for _, content := range result.Content {
		if text, isText := content.(mcp.TextContent); isText {
			return result.Content, text.Text, nil
		}
	}
	return result.Content, "", nil
}

func (p mcpGoPeer) ping() error {
	ctx, stop := limit()
	defer stop()
	return p.client.Ping(ctx)
}

func (p mcpGoPeer) sessionID() string { return p.client.GetSessionId() }

func (p mcpGoPeer) close() error { return p.client.Close() }
