import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.LoggingLevel;
import io.modelcontextprotocol.spec.McpSchema.LoggingMessageNotification;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.catalina.startup.Tomcat;

/** Servers on the Java SDK, of each kind that it can be. What a server offers is the same for all SDKs. */
class Offers {
  private static final String NAME = "java";
  private static final Tool ECHO = describe("echo", "Says it again", Map.of("text", Map.of("type", "string")));
  private static final Tool COUNT = describe("count", "Counts to three", Map.of());
  private static final Tool NOTIFY = describe("notify", "Sends a log message", Map.of());
  private static final Prompt GREET = Prompt.builder("greet").description("Greets").build();
  private static final GetPromptResult GREETING =
      GetPromptResult.builder(List.of(new PromptMessage(Role.USER, new TextContent("Hello.")))).build();
  private static final Resource MEMO =
      Resource.builder("memo://one", "memo").mimeType("text/plain").build();
  private static final ReadResourceResult ONE =
      ReadResourceResult.builder(List.of(new TextResourceContents("memo://one", "text/plain", "one"))).build();

  /** Offers every kind of server over HTTP. @return their addresses. */
  static Map<String, String> serve() throws Exception {
    var sse = HttpServletSseServerTransportProvider.builder().messageEndpoint("/messages").build();
    offer(McpServer.sync(sse)).build();
    var sessions = HttpServletStreamableServerTransportProvider.builder().build();
    offer(McpServer.sync(sessions)).build();
    // The choice that this SDK offers: DELETE is answered with 405.
    var kept = HttpServletStreamableServerTransportProvider.builder().disallowDelete(true).build();
    offer(McpServer.sync(kept)).build();
    var stateless = HttpServletStatelessServerTransport.builder().build();
    offerStateless(stateless);
    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("sse", listen(sse) + "/sse");
    addresses.put("sessions", listen(sessions) + "/mcp");
    addresses.put("sessions-without-delete", listen(kept) + "/mcp");
    addresses.put("stateless", listen(stateless) + "/mcp");
    return addresses;
  }

  static void serveStdio() {
    offer(McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))).build();
  }

  private static String listen(HttpServlet servlet) throws Exception {
    var tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("peers").toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.setSilent(true);
    var context = tomcat.addContext("", null);
    var wrapper = Tomcat.addServlet(context, "mcp", servlet);
    wrapper.setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "mcp");
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.start();
    return "http://127.0.0.1:" + tomcat.getConnector().getLocalPort();
  }

  private static <S extends McpServer.SyncSpecification<S>> McpServer.SyncSpecification<S> offer(
      McpServer.SyncSpecification<S> server) {
    return server
        .serverInfo(NAME, "1.0.0")
        .capabilities(ServerCapabilities.builder().tools(true).prompts(true).resources(false, true).logging().build())
        .toolCall(ECHO, (exchange, request) -> say(text(request)))
        .toolCall(COUNT, Offers::count)
        .toolCall(NOTIFY, Offers::notify)
        .prompts(new SyncPromptSpecification(GREET, (exchange, request) -> GREETING))
        .resources(new SyncResourceSpecification(MEMO, (exchange, request) -> ONE));
  }

  /** It has no progress and no messages: nothing is sent but answers. */
  private static void offerStateless(HttpServletStatelessServerTransport transport) {
    McpServer.sync(transport)
        .serverInfo(NAME, "1.0.0")
        .capabilities(ServerCapabilities.builder().tools(false).prompts(false).resources(false, false).build())
        .toolCall(ECHO, (McpTransportContext context, CallToolRequest request) -> say(text(request)))
        .toolCall(COUNT, (context, request) -> say("counted"))
        .toolCall(NOTIFY, (context, request) -> say("none"))
        .prompts(new McpStatelessServerFeatures.SyncPromptSpecification(GREET, (context, request) -> GREETING))
        .resources(new McpStatelessServerFeatures.SyncResourceSpecification(MEMO, (context, request) -> ONE))
        .build();
  }

  private static CallToolResult count(McpSyncServerExchange exchange, CallToolRequest request) {
    Object token = request.progressToken();
    for (int progress = 1; token != null && progress <= 3; progress++) {
      exchange.progressNotification(ProgressNotification.builder(token, progress).total(3.0).build());
    }
    return say("counted");
  }

  private static CallToolResult notify(McpSyncServerExchange exchange, CallToolRequest request) {
    exchange.loggingNotification(LoggingMessageNotification.builder(LoggingLevel.INFO, "noticed").build());
    return say("sent");
  }

  private static String text(CallToolRequest request) {
    return String.valueOf(request.arguments().get("text"));
  }

  private static CallToolResult say(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  private static Tool describe(String name, String description, Map<String, Object> properties) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    return Tool.builder(name, schema).description(description).build();
  }
}
