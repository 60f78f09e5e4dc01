//! What a client says to a server, step by step. A step that fails is its error, and the next one is still taken.

use std::{
    cmp::Ordering,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient, ServiceError,
    model::*,
    service::{ClientLifecycleMode, ClientServiceExt, NotificationContext, RunningService},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::{
    process::Command,
    time::{sleep, timeout},
};

/// Times that a call is repeated whose notification was not heard, because a stream for it is opened beside the calls.
const MAX_REPEATS: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);
/// More than any step needs.
const STEP_LIMIT: Duration = Duration::from_secs(60);

type Client = RunningService<RoleClient, Listener>;

/// What each step gave, in the order of the steps.
#[derive(Default)]
struct Conversation(Vec<(&'static str, Value)>);

impl Conversation {
    async fn take(&mut self, step: &'static str, work: impl Future<Output = Result<Value, Failure>>) -> Value {
        let result = match timeout(STEP_LIMIT, work).await {
            Ok(Ok(value)) => value,
            Ok(Err(Failure(error))) => json!({ "error": error }),
            Err(_) => json!({ "error": "no answer in time" }),
        };
        self.0.push((step, result.clone()));
        result
    }

    fn format(&self) -> String {
        let members = self.0.iter().map(|(step, result)| format!("{}:{result}", json!(step)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

struct Failure(Value);

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(ErrorData { code, .. }) => Self(json!(code.0)),
            other => Self(json!(other.to_string())),
        }
    }
}

#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<(&'static str, Value)>>>);

impl Listener {
    fn add(&self, method: &'static str, params: Value) {
        self.0.lock().expect("no panic").push((method, params));
    }

    fn clear(&self) {
        self.0.lock().expect("no panic").clear();
    }

    fn list(&self, method: &str) -> Vec<Value> {
        let heard = self.0.lock().expect("no panic");
        heard.iter().filter(|(name, _)| *name == method).map(|(_, params)| params.clone()).collect()
    }

    /// Waits for notifications that the SDK hands on beside the answer.
    async fn wait_for_all(&self, method: &str, count: usize) -> Vec<Value> {
        for _ in 0..20 {
            if self.list(method).len() >= count {
                break;
            }
            sleep(PAUSE / 2).await;
        }
        let mut heard = self.list(method);
        // The SDK hands on each notification in a task of its own.
        heard.sort_by(|one, other| one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal));
        heard
    }
}

impl ClientHandler for Listener {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.add("notifications/progress", json!(params.progress));
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.add("notifications/message", json!(params));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.add("notifications/tools/list_changed", json!({}));
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("peer", "1.0.0"))
    }
}

/// @param target A `url`, or a `command` whose process speaks stdio.
pub async fn converse(target: &Value) -> String {
    let mut results = Conversation::default();
    let heard = Listener::default();
    let client = match open(target, heard.clone()).await {
        Ok(client) => client,
        Err(error) => {
            results.0.push(("initialize", json!({ "error": error })));
            return results.format();
        }
    };
    results.0.push(("initialize", describe(&client)));
    let tools = results.take("tools", async { Ok(json!(client.list_all_tools().await?)) }).await;
    results.take("prompts", async { Ok(json!(client.list_all_prompts().await?)) }).await;
    results.take("resources", async { Ok(json!(client.list_all_resources().await?)) }).await;
    results
        .take("prompt", async {
            Ok(json!(client.get_prompt(GetPromptRequestParams::new("greet")).await?.messages))
        })
        .await;
    results
        .take("resource", async {
            Ok(json!(client.read_resource(ReadResourceRequestParams::new("memo://one")).await?.contents))
        })
        .await;
    results.take("call", call(&client, "echo", json!({ "text": "hi \u{e9}\u{2028}" }))).await;
    results
        .take("progress", async {
            heard.clear();
            let content = call(&client, "count", json!({})).await?;
            Ok(json!({ "values": heard.wait_for_all("notifications/progress", 3).await, "content": content }))
        })
        .await;
    let offers = |name: &str| tools.as_array().is_some_and(|all| all.iter().any(|tool| tool["name"] == name));
    if offers("notify") {
        results.take("notification", hear(&client, &heard, "notify", "notifications/message")).await;
    }
    if offers("grow") {
        results
            .take("list changed", async {
                let params = hear(&client, &heard, "grow", "notifications/tools/list_changed").await?;
                let listed = client.list_all_tools().await?;
                let mut names = listed.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
                names.sort();
                Ok(json!({ "heard": params, "tools": names }))
            })
            .await;
    }
    if offers("poll") {
        results.take("resume", call(&client, "poll", json!({}))).await;
    }
    results
        .take("ping", async {
            client.send_request(ClientRequest::PingRequest(PingRequest::default())).await?;
            Ok(json!("answered"))
        })
        .await;
    results
        .take("reconnect", async {
            let other = open(target, Listener::default()).await.map_err(|error| Failure(json!(error)))?;
            let content = call(&other, "echo", json!({ "text": "again" })).await;
            let _ = other.cancel().await;
            content
        })
        .await;
    // It does not say which session it had.
    results
        .take("close", async {
            client.cancel().await.map_err(|error| Failure(json!(error.to_string())))?;
            Ok(json!("closed"))
        })
        .await;
    results.format()
}

async fn open(target: &Value, heard: Listener) -> Result<Client, String> {
    let lifecycle = match target["kind"].as_str() {
        Some("auto") => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        },
        _ => ClientLifecycleMode::Initialize,
    };
    let connected = match (target["url"].as_str(), target["command"].as_array()) {
        (Some(url), _) => {
            let transport = StreamableHttpClientTransport::from_uri(url);
            timeout(STEP_LIMIT, heard.serve_with_lifecycle(transport, lifecycle)).await
        }
        (None, command) => {
            let words = command.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
            let mut process = Command::new(words.first().ok_or("no command")?);
            process.args(&words[1..]);
            let transport = TokioChildProcess::new(process).map_err(|error| error.to_string())?;
            timeout(STEP_LIMIT, heard.serve_with_lifecycle(transport, lifecycle)).await
        }
    };
    connected.map_err(|_| "no answer in time")?.map_err(|error| error.to_string())
}

fn describe(client: &Client) -> Value {
    let Some(info) = client.peer_info() else { return json!("unknown") };
    let info = json!(*info);
    let mut capabilities = info["capabilities"].as_object().into_iter().flatten().map(|(name, _)| name).collect::<Vec<_>>();
    capabilities.sort();
    json!({
        "protocol": info["protocolVersion"],
        "server": info["serverInfo"]["name"],
        "capabilities": capabilities,
    })
}

async fn call(client: &Client, name: &'static str, arguments: Value) -> Result<Value, Failure> {
    let given = arguments.as_object().cloned().unwrap_or_default();
    let result = client.call_tool(CallToolRequestParams::new(name).with_arguments(given)).await?;
    Ok(json!(result.content))
}

/// Calls a tool until the server's notification has come.
async fn hear(client: &Client, heard: &Listener, tool: &'static str, method: &str) -> Result<Value, Failure> {
    heard.clear();
    for _ in 0..MAX_REPEATS {
        let content = call(client, tool, json!({})).await?;
        if content[0]["text"] == "none" {
            return Ok(json!("none sent"));
        }
        sleep(PAUSE).await;
        if let Some(params) = heard.list(method).first() {
            return Ok(params.clone());
        }
    }
    Ok(json!("not heard"))
}
