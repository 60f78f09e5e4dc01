/** The operations on project files at image registries. They write no file and start no server. */
import * as Type from "typebox";
import { operation } from "../parts/operation.ts";

const JSON_TYPE = "application/json";
/** Characters of one file; a request has 1 MiB for all of them. */
const MAX_TEXT = 1_000_000;
const MAX_FILES = 30;
const DIGEST = "^sha256:[0-9a-f]{64}$";

const Reference = (description: string) =>
  Type.String({ minLength: 1, maxLength: 512, description, examples: ["oci://ghcr.io/acme/tools:1.0"] });
const Digest = (description: string) =>
  Type.String({
    pattern: DIGEST,
    description,
    examples: ["sha256:3f8a1c5e3f8a1c5e3f8a1c5e3f8a1c5e3f8a1c5e3f8a1c5e3f8a1c5e3f8a1c5e"],
  });

const SharedFileSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Path relative to the folder of the project file, with `/`.",
      examples: ["policies/read.yaml"],
    }),
    text: Type.String({ maxLength: MAX_TEXT }),
  },
  { $id: "SharedFile", description: "A file that the project file names, such as a policy." },
);

const Beside = {
  lock: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: "The text of the lock file, if there is one." })),
  files: Type.Optional(
    Type.Array(SharedFileSchema, { maxItems: MAX_FILES, description: "The files that the project file names." }),
  ),
};

const PushRequestSchema = Type.Object(
  {
    reference: Reference("Where to store it: `oci://HOST[:PORT]/NAME[:TAG]`. The default tag is `latest`."),
    file: Type.String({ minLength: 1, maxLength: MAX_TEXT, description: "The text of the project file." }),
    ...Beside,
    replaces: Type.Optional(
      Digest("Digest that the tag may have now. Without it, the tag must be unused, or already have this content."),
    ),
    shares_secrets: Type.Optional(
      Type.Boolean({ default: false, description: "Whether to store values that look secret." }),
    ),
  },
  { $id: "PushProjectRequest" },
);

const PushedSchema = Type.Object(
  {
    reference: Reference("Reference of the stored project, with its tag."),
    digest: Digest("The digest that the tag has now."),
    sent: Type.Integer({ minimum: 0, description: "Number of files that the image registry did not have." }),
    replaced: Type.Optional(Digest("The digest that the tag had before. Absent if it is the same or there was none.")),
  },
  { $id: "PushedProject" },
);

const PulledSchema = Type.Object(
  {
    reference: Reference("Reference of the project, with its tag."),
    digest: Digest("Digest of the project. With it instead of the tag, you get the same project again."),
    name: Type.String({ description: "Name of the project file.", examples: ["thv.yaml"] }),
    file: Type.String({ description: "Text of the project file, for `readProject`." }),
    ...Beside,
    left_out: Type.Array(
      Type.Object({
        member: Type.String({ examples: ["servers.maps.volumes"] }),
        path: Type.String({ examples: ["./maps"] }),
      }),
      {
        description:
          "Relative paths in the project file that were not stored. The project runs only in a folder that contains them.",
      },
    ),
  },
  { $id: "PulledProject" },
);

const PushPullErrors = (verb: string) =>
  ({
    INVALID_ARGUMENT: `Failed to ${verb} project:`,
    IMAGE_REGISTRY_REFUSED: `Failed to ${verb} project:`,
    IMAGE_REGISTRY_UNREACHABLE: `Failed to ${verb} project:`,
  }) as const;

export const SHARED_PROJECT_OPERATIONS = {
  pushProject: operation({
    tag: "settings",
    summary: "Store a project file at an image registry",
    description:
      "Stores the project file as an OCI artifact. The supervisor uses the sign-in that `docker login` or `podman login` stored. The tag is set last: a failed push leaves it as it was. A tag that names something other than a project is not replaced.",
    body: PushRequestSchema,
    decodeError: "Invalid request body",
    success: { status: 200, description: "The project is stored.", contentType: JSON_TYPE, schema: PushedSchema },
    errors: { ...PushPullErrors("push"), NOT_CONFIRMED: "Failed to push project:" },
  }),
  pullProject: operation({
    tag: "settings",
    summary: "Get a project file from an image registry",
    description:
      "Returns the files of a project that was stored with `thv push` or `pushProject`, after it has checked their digests, names and sizes. It writes no file and starts no server.",
    body: Type.Object(
      { reference: Reference("What to read: `oci://HOST[:PORT]/NAME[:TAG][@sha256:…]`.") },
      { $id: "PullProjectRequest" },
    ),
    decodeError: "Invalid request body",
    success: { status: 200, description: "The project.", contentType: JSON_TYPE, schema: PulledSchema },
    errors: { ...PushPullErrors("pull"), IMAGE_NOT_FOUND: "Project not found" },
  }),
};
