//! Servers on the Rust SDK, of each kind that it can be. What a server offers is the same for all SDKs.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::{Map, Value, json};

/// One for each session, or for each request where there are no sessions.
pub struct Offers {
    /// A server without sessions can send nothing that belongs to no call.
    has_session: bool,
    has_grown: AtomicBool,
}

/// Offers every kind of server over HTTP, and writes their addresses in one line.
pub async fn serve() {
    let mut addresses = Map::new();
    for kind in ["sessions", "json", "stateless"] {
        let has_session = kind == "sessions";
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(has_session)
            .with_json_response(kind == "json");
        let service = StreamableHttpService::new(
            move || Ok(Offers::new(has_session)),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        addresses.insert(kind.into(), json!(format!("http://{address}/mcp")));
        let router = axum::Router::new().route_service("/mcp", service);
        tokio::spawn(async move { axum::serve(listener, router).await });
    }
    println!("{}", Value::Object(addresses));
}

impl Offers {
    pub fn new(has_session: bool) -> Self {
        Self { has_session, has_grown: AtomicBool::new(false) }
    }

    fn list(&self) -> Vec<Tool> {
        let mut tools = vec![
            describe("echo", "Says it again", json!({ "text": { "type": "string" } })),
            describe("count", "Counts to three", json!({})),
            describe("notify", "Sends a log message", json!({})),
            describe("grow", "Adds a tool", json!({})),
        ];
        if self.has_grown.load(Ordering::SeqCst) {
            tools.push(describe("grown", "Was added", json!({})));
        }
        tools
    }

    async fn count(&self, context: &RequestContext<RoleServer>) -> Result<String, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for progress in 1..=3 {
                let sent = ProgressNotificationParam::new(token.clone(), f64::from(progress)).with_total(3.0);
                context.peer.notify_progress(sent).await.map_err(fail)?;
            }
        }
        Ok("counted".into())
    }

    async fn notify(&self, context: &RequestContext<RoleServer>) -> Result<String, ErrorData> {
        if !self.has_session {
            return Ok("none".into());
        }
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!("noticed"));
        context.peer.notify_logging_message(message).await.map_err(fail)?;
        Ok("sent".into())
    }

    async fn grow(&self, context: &RequestContext<RoleServer>) -> Result<String, ErrorData> {
        if !self.has_session {
            return Ok("none".into());
        }
        self.has_grown.store(true, Ordering::SeqCst);
        context.peer.notify_tool_list_changed().await.map_err(fail)?;
        Ok("sent".into())
    }
}

impl ServerHandler for Offers {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("rmcp", "1.0.0"))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match request.name.as_ref() {
            "echo" => {
                let arguments = request.arguments.unwrap_or_default();
                arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            "count" => self.count(&context).await?,
            "notify" => self.notify(&context).await?,
            "grow" => self.grow(&context).await?,
            "grown" => "grown".into(),
            other => return Err(ErrorData::invalid_params(format!("there is no tool {other}"), None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new("greet", Some("Greets"), None)]))
    }

    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, "Hello.")]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("memo://one", "memo")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text("one", request.uri)]).into())
    }
}

fn describe(name: &'static str, description: &'static str, properties: Value) -> Tool {
    let schema = json!({ "type": "object", "properties": properties });
    Tool::new(name, description, schema.as_object().cloned().unwrap_or_default())
}

fn fail(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
