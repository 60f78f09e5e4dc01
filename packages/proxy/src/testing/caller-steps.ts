/**
 * What can happen where several callers share a stdio server, as data that fast-check makes up and shrinks.
 */
import fc from "fast-check";
import { CLIENT_KINDS, type ClientKind } from "./caller-clients.ts";

export const CALLER_NAMES = ["alice", "bob", "mallory"] as const;

/** How something could go astray. */
export const LEAK_PATHS = ["questions", "notifications", "progress", "answers", "sessions"] as const;
export type LeakPath = (typeof LEAK_PATHS)[number];

export const QUESTIONS = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
  "tasks/get",
  "custom/ask",
] as const;
export const NOTIFICATIONS = [
  "notifications/message",
  "notifications/tasks/status",
  "notifications/elicitation/complete",
  "notifications/tools/list_changed",
  "notifications/resources/updated",
  "notifications/custom",
] as const;

/** How a call is written; what is not plain uses the number that another call has at the server. */
export const FORMS = [
  "plain",
  "token",
  "two tokens",
  "token in another case",
  "_meta in another case",
  "two ids",
  "id in another case",
] as const;
export type Form = (typeof FORMS)[number];

/** Numbers choose among what is there at the time. */
export type Step =
  | { readonly act: "open"; readonly caller: number; readonly kind: ClientKind }
  | { readonly act: "call"; readonly client: number; readonly form: Form; readonly other: number }
  | { readonly act: "answer" | "cancel" | "progress"; readonly call: number }
  | { readonly act: "ask"; readonly call: number; readonly method: (typeof QUESTIONS)[number] }
  | { readonly act: "notify"; readonly call: number; readonly method: (typeof NOTIFICATIONS)[number] }
  | { readonly act: "respond" | "report" | "listen" | "end" | "subscribe"; readonly client: number }
  | { readonly act: "steal"; readonly client: number; readonly other: number };

const index = fc.nat({ max: 11 });
const formed = (forms: readonly Form[]): fc.Arbitrary<Step> =>
  fc.record({ act: fc.constant("call"), client: index, form: fc.constantFrom(...forms), other: index });
const onCall = (act: "answer" | "cancel" | "progress"): fc.Arbitrary<Step> =>
  fc.record({ act: fc.constant(act), call: index });
const byClient = (act: "respond" | "report" | "listen" | "end" | "subscribe"): fc.Arbitrary<Step> =>
  fc.record({ act: fc.constant(act), client: index });

const ALWAYS: readonly fc.Arbitrary<Step>[] = [
  fc.record({
    act: fc.constant("open"),
    caller: fc.nat({ max: CALLER_NAMES.length - 1 }),
    kind: fc.constantFrom(...CLIENT_KINDS),
  }),
  formed(["plain"]),
  onCall("answer"),
];

const STEPS_OF_PATH: Readonly<Record<LeakPath, readonly fc.Arbitrary<Step>[]>> = {
  questions: [
    fc.record({ act: fc.constant("ask"), call: index, method: fc.constantFrom(...QUESTIONS) }),
    byClient("respond"),
    byClient("report"),
    onCall("cancel"),
  ],
  notifications: [
    fc.record({ act: fc.constant("notify"), call: index, method: fc.constantFrom(...NOTIFICATIONS) }),
    byClient("listen"),
    byClient("subscribe"),
  ],
  // The first of these is what the others reach for.
  progress: [
    formed(["token"]),
    formed(["two tokens", "token in another case", "_meta in another case"]),
    onCall("progress"),
    onCall("progress"),
  ],
  answers: [formed(["two ids", "id in another case"])],
  sessions: [
    fc.record({ act: fc.constant("steal"), client: index, other: index }),
    byClient("end"),
    byClient("listen"),
  ],
};

/** Scripts of what can go astray in some ways. Every caller has a client from the start. */
export function arbitrarySteps(ways: readonly LeakPath[]): fc.Arbitrary<Step[]> {
  const opening = fc.tuple(
    ...CALLER_NAMES.map((_, caller) =>
      fc.constantFrom(...CLIENT_KINDS).map((kind): Step => ({ act: "open", caller, kind })),
    ),
  );
  const step = fc.oneof(...ALWAYS, ...ways.flatMap((way) => STEPS_OF_PATH[way]));
  return fc
    .tuple(opening, fc.array(step, { minLength: 10, maxLength: 40, size: "max" }))
    .map(([first, rest]) => [...first, ...rest]);
}

/** What a form adds to the params of a call. @param number Raw JSON of what another call has at the server. */
export function formatMeta(form: Form, mark: string, number: string): string {
  switch (form) {
    case "token":
      return `,"_meta":{"progressToken":"${mark}"}`;
    case "two tokens":
      return `,"_meta":{"progressToken":${number},"progressToken":${number}}`;
    case "token in another case":
      return `,"_meta":{"progressToken":"a","ProgressToken":${number}}`;
    case "_meta in another case":
      return `,"_META":{"progressToken":${number}}`;
    default:
      return "";
  }
}
