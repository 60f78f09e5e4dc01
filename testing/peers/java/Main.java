import io.modelcontextprotocol.json.McpJsonDefaults;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A peer on the Java SDK: {@code java Main serve|stdio|converse}. It ends with its input. */
class Main {
  public static void main(String[] arguments) throws Exception {
    switch (arguments[arguments.length - 1]) {
      case "serve" -> {
        write(Offers.serve());
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
      }
      case "stdio" -> Offers.serveStdio();
      case "converse" -> {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          write(new Conversation(McpJsonDefaults.getMapper().readValue(line, Map.class)).take());
        }
        System.exit(0);
      }
      default -> throw new IllegalArgumentException("serve, stdio or converse");
    }
  }

  /** In one line of UTF-8, whatever this machine's locale is. */
  private static void write(Object value) throws Exception {
    System.out.write(McpJsonDefaults.getMapper().writeValueAsBytes(value));
    System.out.write('\n');
    System.out.flush();
  }
}
