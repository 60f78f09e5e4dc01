import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a client says to a server, step by step. A step that fails is its error, and the next one is still taken. */
class Conversation {
  /** Times that a call is repeated whose notification was not heard, because a stream for it is opened beside the calls. */
  private static final int MAX_REPEATS = 100;

  private static final int PAUSE_MS = 100;
  /** More than any step needs. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Map<?, ?> target;
  private final Map<String, Object> results = new LinkedHashMap<>();
  private final List<Double> progress = new CopyOnWriteArrayList<>();
  private final List<Object> messages = new CopyOnWriteArrayList<>();
  private final List<Object> changes = new CopyOnWriteArrayList<>();

  /** @param target A {@code url}, or a {@code command} whose process speaks stdio. */
  Conversation(Map<?, ?> target) {
    this.target = target;
  }

  /** @return what each step gave, in the order of the steps. */
  Map<String, Object> take() {
    McpSyncClient client;
    try {
      client = open();
    } catch (Exception failure) {
      results.put("initialize", describe(failure));
      return results;
    }
    takeSteps(client);
    // It does not say which session it had.
    take("close", () -> client.closeGracefully() ? "closed" : "not closed");
    return results;
  }

  private void takeSteps(McpSyncClient client) {
    take("initialize", () -> describe(client));
    take("tools", () -> client.listTools().tools());
    take("prompts", () -> client.listPrompts().prompts());
    take("resources", () -> client.listResources().resources());
    take("prompt", () -> client.getPrompt(GetPromptRequest.builder("greet").build()).messages());
    take("resource", () -> client.readResource(ReadResourceRequest.builder("memo://one").build()).contents());
    take("call", () -> call(client, "echo", Map.of("text", "hi \u00e9\u2028")));
    take("progress", () -> {
      progress.clear();
      var request = CallToolRequest.builder("count").arguments(Map.of()).progressToken("progress").build();
      var content = client.callTool(request).content();
      // The SDK hands them on beside the answer.
      for (int attempt = 0; attempt < 20 && progress.size() < 3; attempt++) Thread.sleep(PAUSE_MS / 2);
      return Map.of("values", progress.stream().sorted().toList(), "content", content);
    });
    if (offers("notify")) take("notification", () -> hear(client, "notify", messages));
    if (offers("grow")) {
      take("list changed", () -> {
        Object heard = hear(client, "grow", changes);
        return Map.of("heard", heard, "tools", client.listTools().tools().stream().map(Tool::name).sorted().toList());
      });
    }
    // Where a server ends the stream of a call before its answer, this client waits for its limit of time, and asks for no more.
    take("ping", () -> {
      client.ping();
      return "answered";
    });
    take("reconnect", () -> {
      var other = open();
      try {
        return call(other, "echo", Map.of("text", "again"));
      } finally {
        other.closeGracefully();
      }
    });
  }

  private void take(String step, Callable<Object> work) {
    try {
      results.put(step, work.call());
    } catch (Exception failure) {
      results.put(step, describe(failure));
    }
  }

  private McpSyncClient open() {
    var client =
        McpClient.sync(connect())
            .clientInfo(Implementation.builder("peer", "1.0.0").build())
            .requestTimeout(LIMIT)
            .initializationTimeout(LIMIT)
            .progressConsumer(heard -> progress.add(heard.progress()))
            .loggingConsumer(heard -> messages.add(heard))
            .toolsChangeConsumer(heard -> changes.add(Map.of()))
            .build();
    try {
      client.initialize();
    } catch (RuntimeException failure) {
      client.close();
      throw failure;
    }
    return client;
  }

  private McpClientTransport connect() {
    if (target.get("command") instanceof List<?> words) {
      var rest = words.subList(1, words.size()).stream().map(String::valueOf).toList();
      var server = ServerParameters.builder(String.valueOf(words.get(0))).args(rest).build();
      return new StdioClientTransport(server, McpJsonDefaults.getMapper());
    }
    URI url = URI.create(String.valueOf(target.get("url")));
    String origin = url.getScheme() + "://" + url.getAuthority();
    return url.getPath().endsWith("/sse")
        ? HttpClientSseClientTransport.builder(origin).sseEndpoint(url.getPath()).build()
        : HttpClientStreamableHttpTransport.builder(origin).endpoint(url.getPath()).build();
  }

  private boolean offers(String name) {
    return results.get("tools") instanceof List<?> tools
        && tools.stream().anyMatch(tool -> tool instanceof Tool offered && offered.name().equals(name));
  }

  private static List<Content> call(McpSyncClient client, String name, Map<String, Object> arguments) {
    return client.callTool(CallToolRequest.builder(name).arguments(arguments).build()).content();
  }

  /** Calls a tool until the server's notification has come. */
  private static Object hear(McpSyncClient client, String tool, List<Object> heard) throws InterruptedException {
    heard.clear();
    for (int repeat = 0; repeat < MAX_REPEATS; repeat++) {
      var content = call(client, tool, Map.of());
      if (content.get(0) instanceof TextContent said && said.text().equals("none")) return "none sent";
      Thread.sleep(PAUSE_MS);
      if (!heard.isEmpty()) return heard.get(0);
    }
    return "not heard";
  }

  private static Object describe(McpSyncClient client) throws Exception {
    var result = client.getCurrentInitializationResult();
    Map<?, ?> capabilities = McpJsonDefaults.getMapper().convertValue(result.capabilities(), Map.class);
    return new TreeMap<>(
        Map.of(
            "protocol", result.protocolVersion(),
            "server", result.serverInfo().name(),
            "capabilities", capabilities.keySet().stream().map(String::valueOf).sorted().toList()));
  }

  private static Object describe(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof McpError error && error.getJsonRpcError() != null) {
        return Map.of("error", error.getJsonRpcError().code());
      }
    }
    return Map.of("error", failure.getClass().getSimpleName() + ": " + failure.getMessage());
  }
}
