/** Tools whose names, forms and answers are written by somebody who means harm, or who did not read the specification. */

const text = { type: "string" };
export const HOSTILE_TOOLS = [
  { name: "<img src=x onerror=alert(1)>", description: "<a href='https://evil.example'>x</a> \u202e\u001b[2J" },
  {
    name: "forty",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, text])),
    },
  },
  {
    name: "nested",
    inputSchema: {
      type: "object",
      properties: {
        places: { type: "array", items: { type: "object", properties: { city: text }, required: ["city"] } },
        either: { anyOf: [text, { type: "number" }] },
      },
    },
  },
  { name: "wrong", inputSchema: { type: "object", properties: "none", required: 3 } },
];
export const HOSTILE_CALL = [
  { type: "begin", call_id: "c" },
  {
    type: "end",
    ms: 5,
    result: {
      content: [
        { type: "text", text: "<script>alert(1)</script>" },
        { type: "text", text: "5 megabytes ".repeat(416_667) },
        { type: "audio", mimeType: "audio/wav", data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=" },
        { type: "image", mimeType: "text/html", data: "PHNjcmlwdD4=" },
        { type: "resource_link", name: "a", uri: "javascript:alert(1)" },
        { type: "resource_link", name: "<b>b</b>", uri: "https://evil.example/?a=b" },
      ],
    },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");
