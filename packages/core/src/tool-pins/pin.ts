/** One pinned definition, as it is kept in memory and in the record. */
import type { OfferedTool, ToolDefinition } from "../ports/mcp-endpoint.ts";
import type { PinRecord } from "./pin-record.ts";
import { hashDefinition, hashText, omitInterface, pickDefinition } from "./tool-definition.ts";

/** A definition as a server offers it. */
export interface Pin {
  readonly sha256: string;
  /** Absent for one that two readers could take for different ones: then it is held to its text, byte for byte. */
  readonly definition?: ToolDefinition | undefined;
  /** JSON, as clients see it. */
  readonly text: string;
}

/** A definition that was recorded. */
export interface KnownPin extends Pin {
  /** When it was recorded, RFC 3339. */
  readonly at: string;
  /** Identifier of the image whose server offered exactly this last; absent where it is unknown. */
  readonly image?: string | undefined;
  /** Hash of what the present process of the server said of the tool first; absent until it has listed it. */
  readonly said?: string | undefined;
  /** Whether it was recorded when the page that a client draws was not part of a definition. */
  readonly isNarrow?: boolean | undefined;
}

/** @throws {RangeError} For a definition that is too deep. */
function readPin(name: string, offered: ToolDefinition): Pin {
  const definition = pickDefinition({ ...offered, name });
  return { sha256: hashDefinition(definition), definition, text: JSON.stringify(definition) };
}

export function createTextPin(text: string): Pin {
  return { sha256: hashText(text), text };
}

/** @returns `undefined` for a definition that cannot be read. */
export function readOffered({ name, definition, text, isClear }: OfferedTool): Pin | undefined {
  if (definition === undefined) return isClear && text !== undefined ? createTextPin(text) : undefined;
  try {
    return readPin(name, definition);
  } catch {
    // It is too deep.
    return undefined;
  }
}

/** Whether the definition is the one that was recorded when the page that a client draws was not part of it. */
export function isSameWithoutInterface(pin: Pin, known: KnownPin): boolean {
  return (
    known.isNarrow === true &&
    pin.definition !== undefined &&
    hashDefinition(omitInterface(pin.definition)) === known.sha256
  );
}

type RecordedPin = PinRecord["pinned"][number];
type HeldPin = PinRecord["held"][number];

export function recordHeld(name: string, pin: Pin | undefined): HeldPin {
  if (pin === undefined) return { name };
  return { name, sha256: pin.sha256, ...(pin.definition ? { definition: pin.definition } : { text: pin.text }) };
}

export function recordPin(name: string, pin: KnownPin): RecordedPin {
  const { sha256, definition, text, at, image, said, isNarrow } = pin;
  return {
    name,
    sha256,
    ...(definition ? { definition } : { text }),
    at,
    ...(image !== undefined && { image }),
    ...(said !== undefined && { said }),
    ...(!isNarrow && { has_interface: true }),
  };
}

export function readHeld({ name, definition, text }: HeldPin): Pin | undefined {
  if (definition) return readPin(name, definition);
  return text === undefined ? undefined : createTextPin(text);
}

/** @param pinnedAt When the record began, for a pin that does not say. */
export function readRecorded(recorded: RecordedPin, pinnedAt: string): KnownPin {
  const { at = pinnedAt, image, said, has_interface: hasInterface = false } = recorded;
  return {
    ...(readHeld(recorded) ?? createTextPin("")),
    at,
    ...(image !== undefined && { image }),
    ...(said !== undefined && { said }),
    ...(!hasInterface && { isNarrow: true }),
  };
}
