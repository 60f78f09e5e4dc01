//! A peer on the Rust SDK: `peers rmcp serve|stdio|converse`. It ends with its input.

// It calls log messages so, because the newest revision of the protocol has none.
#![allow(deprecated)]

mod converse;
mod offers;

use rmcp::{ServiceExt, transport::stdio};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, stdin};

#[tokio::main]
async fn main() {
    match std::env::args().nth(2).as_deref() {
        Some("serve") => {
            offers::serve().await;
            let _ = stdin().read_to_end(&mut Vec::new()).await;
        }
        Some("stdio") => {
            let running = offers::Offers::new(true).serve(stdio()).await.expect("a client");
            let _ = running.waiting().await;
        }
        Some("converse") => {
            let mut lines = BufReader::new(stdin()).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let target = serde_json::from_str(&line).expect("a target");
                println!("{}", converse::converse(&target).await);
            }
        }
        _ => panic!("peers rmcp serve|stdio|converse"),
    }
}
