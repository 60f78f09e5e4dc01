import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.TransportService;

/**
 * One node of a test cluster, on loopback and on ports that the system picks. Nodes of one folder find each other through
 * its config/unicast_hosts.txt; where a node listens for HTTP is in NAME.url there.
 *
 * <p>Usage: TestNode FOLDER NAME NAME_OF_FIRST_NODE
 */
public final class TestNode extends Node {
  /** Modules of the distribution, by class; netty's has another name from 3.x on. */
  private static final List<List<String>> MODULES =
      List.of(
          List.of("org.opensearch.analysis.common.CommonAnalysisModulePlugin", "org.opensearch.analysis.common.CommonAnalysisPlugin"),
          List.of("org.opensearch.transport.Netty4ModulePlugin", "org.opensearch.transport.Netty4Plugin"));

  @SuppressWarnings({"unchecked", "rawtypes"})
  private TestNode(Environment environment, Collection modules) {
    super(environment, modules, false);
  }

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]).toAbsolutePath();
    String name = args[1];
    Path config = Files.createDirectories(folder.resolve("config"));
    Settings settings =
        Settings.builder()
            .put("cluster.name", "toolhive-test")
            .put("node.name", name)
            .put("path.home", folder.resolve(name).toString())
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("discovery.seed_providers", "file")
            .put("cluster.initial_cluster_manager_nodes", args[2])
            // The disk of a machine that runs tests may be nearly full. A test that needs a full one raises these.
            .put("cluster.routing.allocation.disk.watermark.low", "1b")
            .put("cluster.routing.allocation.disk.watermark.high", "1b")
            .put("cluster.routing.allocation.disk.watermark.flood_stage", "1b")
            .build();
    TestNode node =
        new TestNode(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), config, () -> name), modules());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        node.close();
      } catch (Exception error) {
        error.printStackTrace();
      }
    }));
    node.start();
    String transport = node.injector().getInstance(TransportService.class).boundAddress().publishAddress().toString();
    Files.writeString(config.resolve("unicast_hosts.txt"), transport + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    String http = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().toString();
    Path written = Files.writeString(folder.resolve(name + ".url.new"), "http://" + http + "\n");
    Files.move(written, folder.resolve(name + ".url"));
    // No node outlives who started it, however that ends.
    ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().join());
    System.exit(0);
  }

  private static List<Object> modules() throws ClassNotFoundException {
    List<Object> modules = new ArrayList<>();
    for (List<String> names : MODULES) {
      Class<? extends Plugin> type = firstOf(names).asSubclass(Plugin.class);
      // 2.x takes the classes themselves, 3.x descriptions of them.
      modules.add(
          Version.CURRENT.major < 3
              ? type
              : new PluginInfo(type.getName(), "", "", Version.CURRENT, "17", type.getName(), null, List.of(), false));
    }
    return modules;
  }

  private static Class<?> firstOf(List<String> names) throws ClassNotFoundException {
    for (String name : names) {
      try {
        Class<?> type = Class.forName(name);
        if (!Modifier.isAbstract(type.getModifiers())) return type;
      } catch (ClassNotFoundException error) {
        // The next name is another version's.
      }
    }
    throw new ClassNotFoundException(String.join(", ", names));
  }
}
