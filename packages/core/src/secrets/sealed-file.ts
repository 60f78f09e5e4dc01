/**
 * The bytes of the encrypted store.
 * Version 1: "THVSEC" 0x00 0x01 ‖ log2 N ‖ r ‖ p ‖ salt (16) ‖ nonce (12) ‖ ciphertext ‖ tag (16). AES-256-GCM; the key
 * comes from the password by scrypt (RFC 7914), and everything before the nonce is authenticated.
 * Version 0, read only: nonce (12) ‖ ciphertext ‖ tag (16), key = SHA-256 of the password (api-behaviour 7.2).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, type ScryptOptions, scrypt } from "node:crypto";

const NAME = Buffer.from("THVSEC\u0000", "latin1");
/** Of the format that is written. */
export const FORMAT_VERSION = 1;
const MAGIC = Buffer.concat([NAME, Buffer.from([FORMAT_VERSION])]);
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const HEADER_BYTES = MAGIC.length + 3 + SALT_BYTES;
/** Bytes of the plaintext (api-behaviour 7.2). */
export const MAX_PLAINTEXT_BYTES = 32 * 1024 * 1024;
export const MAX_FILE_BYTES = MAX_PLAINTEXT_BYTES + HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

export interface KdfCost {
  /** Memory is 2^log2N · r · 128 bytes. */
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB and a few tenths of a second, once a process. OWASP's first recommendation for scrypt. */
export const KDF_COST: KdfCost = { log2N: 17, r: 8, p: 1 };

/** A file may ask for at most this, so that a planted header costs each command at most 256 MiB and a second or two. */
const MAX_COST: KdfCost = { log2N: 18, r: 8, p: 1 };

/** A key together with the header it belongs to. */
export interface SealingKey {
  readonly header: Buffer;
  readonly key: Buffer;
}

/** Derives a key for a new file. */
export async function createSealingKey(password: string, cost: KdfCost = KDF_COST): Promise<SealingKey> {
  const header = Buffer.concat([MAGIC, Buffer.from([cost.log2N, cost.r, cost.p]), randomBytes(SALT_BYTES)]);
  return { header, key: await deriveKey(password, header) };
}

export function seal(plaintext: Buffer, { header, key }: SealingKey): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(header);
  return Buffer.concat([header, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

export function isOldFormat(file: Buffer): boolean {
  return !file.subarray(0, MAGIC.length).equals(MAGIC);
}

/** @returns The version that the header says; 0 for the format without a header. */
export function findFormatVersion(file: Buffer): number {
  return file.subarray(0, NAME.length).equals(NAME) ? (file[NAME.length] ?? 0) : 0;
}

/** Why no password can open these bytes; `undefined` when one may. */
export function findDamage(file: Buffer): string | undefined {
  if (file.length === 0) return "it is empty";
  const headerBytes = isOldFormat(file) ? 0 : HEADER_BYTES;
  if (file.length < headerBytes + NONCE_BYTES + TAG_BYTES) return "it ends too early";
  if (headerBytes > 0 && !isAcceptable(parseCost(file))) return "it asks for more work than thv ever does";
  return undefined;
}

/** Whether the key was made for this file, so that the password need not be stretched again. */
export function isKeyFor(file: Buffer, { header }: SealingKey): boolean {
  return file.subarray(0, HEADER_BYTES).equals(header);
}

/** @returns `undefined` when the key is wrong or the file was changed. */
export function unseal(file: Buffer, { header, key }: SealingKey): Buffer | undefined {
  return decrypt(file.subarray(header.length), key, header);
}

/**
 * @param file Bytes in which {@link findDamage} finds nothing.
 * @returns The plaintext and the key to write with, or `undefined` when the password is wrong or the file was changed.
 */
export async function unsealWithPassword(
  file: Buffer,
  password: string,
  cost: KdfCost = KDF_COST,
): Promise<{ plaintext: Buffer; key: SealingKey } | undefined> {
  if (isOldFormat(file)) {
    const plaintext = decrypt(file, createHash("sha256").update(password).digest(), Buffer.alloc(0));
    return plaintext && { plaintext, key: await createSealingKey(password, cost) };
  }
  const header = Buffer.from(file.subarray(0, HEADER_BYTES));
  const key = { header, key: await deriveKey(password, header) };
  const plaintext = unseal(file, key);
  return plaintext && { plaintext, key };
}

function decrypt(sealed: Buffer, key: Buffer, header: Buffer): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(header).setAuthTag(sealed.subarray(-TAG_BYTES));
  const head = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([head, decipher.final()]);
  } catch {
    // The tag does not match; nothing of `head` may be used.
    return undefined;
  }
}

function parseCost(header: Buffer): KdfCost {
  const [log2N = 0, r = 0, p = 0] = header.subarray(MAGIC.length, MAGIC.length + 3);
  return { log2N, r, p };
}

function isAcceptable({ log2N, r, p }: KdfCost): boolean {
  const isBounded = log2N <= MAX_COST.log2N && r <= MAX_COST.r && p <= MAX_COST.p;
  return isBounded && log2N >= 1 && r >= 1 && p >= 1;
}

async function deriveKey(password: string, header: Buffer): Promise<Buffer> {
  const { log2N, r, p } = parseCost(header);
  const N = 2 ** log2N;
  const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r + 1024 * 1024 * p };
  return await new Promise((resolve, reject) => {
    scrypt(password, header.subarray(-SALT_BYTES), KEY_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
