/** What kind of image some bytes are and how large it is, by its own header: PNG, JPEG and WebP. Everything else is none. */

export interface ImageFacts {
  readonly mediaType: "image/png" | "image/jpeg" | "image/webp";
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** @returns `undefined` for bytes that are no image of these kinds, or end before its size. */
export function readImage(bytes: Buffer): ImageFacts | undefined {
  try {
    return readPng(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
  } catch {
    // It ends within its header.
    return undefined;
  }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readPng(bytes: Buffer): ImageFacts | undefined {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE) || readTag(bytes, 12) !== "IHDR") return undefined;
  return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function readWebp(bytes: Buffer): ImageFacts | undefined {
  if (readTag(bytes, 0) !== "RIFF" || readTag(bytes, 8) !== "WEBP") return undefined;
  const mediaType = "image/webp";
  switch (readTag(bytes, 12)) {
    case "VP8X":
      return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Segments follow each other until the one that starts a frame, which has the size. */
function readJpeg(bytes: Buffer): ImageFacts | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { mediaType: "image/jpeg", height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readTag(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
